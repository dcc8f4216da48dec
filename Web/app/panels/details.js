import { h, icon, keyed, View } from '../dom.js';
import { momentOf } from '../format.js';
import { explain, t } from '../i18n.js';
import { personAvatar } from '../parts/avatar.js';
import { personActions } from '../dialogs/person.js';
import { ask } from '../parts/dialog.js';
import { openMenu } from '../parts/menu.js';
import { open } from '../parts/open.js';
import { attempt, toast } from '../parts/toast.js';
import { app } from '../state.js';
import { concerns } from '../views/room.js';

/** The details of the room on the screen: topic, notifications, members, and ways to change or leave it. */
class Details extends View {
    /** The number of requests, and that of the request with the shown reply: the reply to an older one may come after it. */
    #asked = 0;
    #shown = 0;
    #members = h('ul');

    setup() {
        this.listen(app.store, 'room', (key) => key === app.route.room && this.invalidate());
        this.listen(app.store, ['users', 'presence']);
        this.listen(app.client, 'event', (event) => concerns(event, app.room) && this.#load());
        this.onEnd(() => app.client.watch.set('details', []));
        this.#load();
    }

    async #load() {
        const { room } = app;
        if (room?.kind !== 'channel') return this.invalidate();
        const asked = (this.#asked += 1);
        try {
            const detail = await app.client.routes.channel(room);
            if (asked < this.#shown) return;
            this.#shown = asked;
            this.detail = detail;
        } catch (error) {
            // A channel that is gone closes its panel.
            if (error.code !== 'E13') toast(explain(error), { bad: true });
        }
        this.invalidate();
    }

    render() {
        const { room } = app;
        if (!room) return;
        const focused = document.activeElement?.dataset?.action;
        const top = this.firstElementChild?.scrollTop ?? 0;
        const members = this.detail?.channelMembers ?? (room.user ? [room.user, app.store.users.get(app.store.me)] : []);
        app.client.watch.set('details', members.map((each) => String(each.user_id)));
        const owner = String(this.detail?.owner_id ?? '');
        this.replaceChildren(h('div', { class: 'panel-body pad' },
            this.detail?.description && h('section', { class: 'section' }, h('h3', null, t('channel.description')), h('p', null, this.detail.description)),
            this.#notify(room),
            h('section', { class: 'section' }, h('h3', null, t('room.members', { count: members.length })), this.#members),
            room.kind === 'channel' && this.#actions(room, owner === app.store.me)));
        keyed(this.#members, members.map((member) => this.#member(room, member, owner)));
        this.firstElementChild.scrollTop = top;
        if (focused) this.querySelector(`[data-action="${focused}"]`)?.focus({ preventScroll: true });
    }

    #notify(room) {
        const choose = (level, until) => attempt(async () => {
            await app.client.routes.notify(room, level, until);
            app.store.update(room.key, { notify: level, mutedUntil: until ?? null });
            app.tabs.postMessage('notify');
        });
        const isMuted = room.mutedUntil && Date.parse(room.mutedUntil) > Date.now();
        return h('section', { class: 'section' }, h('h3', { id: 'notify-title' }, t('notify.title')),
            h('div', { role: 'radiogroup', 'aria-labelledby': 'notify-title' }, ['all', 'mentions', 'none'].map((level) =>
                h('label', { class: 'check' }, h('input', { type: 'radio', name: 'notify', checked: room.notify === level, data: { action: `notify-${level}` }, onchange: () => choose(level, isMuted ? room.mutedUntil : undefined) }), t(`notify.${level}`)))),
            h('button', { type: 'button', class: 'button small', data: { action: 'mute' }, onclick: () => choose(room.notify, isMuted ? undefined : new Date(Date.now() + 3_600_000).toISOString()) },
                icon(isMuted ? 'bell' : 'mute', 16), isMuted ? t('notify.unmute') : t('notify.mute')),
            isMuted && h('p', { class: 'hint' }, t('notify.muted', { time: momentOf(room.mutedUntil) })));
    }

    /** A row of the list: it is made anew only if the member has changed, because a channel may have thousands. */
    #member(room, member, owner) {
        const user = app.store.users.get(String(member.user_id)) ?? member;
        const id = String(user.user_id);
        const state = app.store.presence.get(id);
        const isOwner = owner === app.store.me || String(app.store.workspaces.get(room.workspace)?.owner_id) === app.store.me;
        return { key: id, signature: [room.key, user, state, owner, isOwner], make: () => this.#row(room, user, { id, state, owner, isOwner }) };
    }

    #row(room, user, { id, state, owner, isOwner }) {
        const isMe = id === app.store.me;
        const notes = [id === owner && t('workspace.owner'), state && t(`presence.${state}`), user.email].filter(Boolean);
        const more = h('button', { type: 'button', class: 'icon-button', 'aria-label': `${t('message.more')}: ${user.nickname}`, 'aria-haspopup': 'menu', data: { action: `member-${id}` }, onclick: () => openMenu(more, [
            room.kind === 'channel' && owner === app.store.me && { label: t('channel.handOver'), icon: 'users', action: () => this.#act(() => app.client.routes.handOverChannel(room, id), t('workspace.handOverAsk', { name: user.nickname })) },
            room.kind === 'channel' && isOwner && id !== owner && { label: t('channel.remove'), icon: 'exit', danger: true, action: () => this.#act(() => app.client.routes.removeFromChannel(room, id), t('channel.removeAsk', { name: user.nickname })) },
            ...personActions(room.workspace, user),
        ]) }, icon('more', 18));
        return h('li', { class: 'person' }, h('span', { class: 'presence', data: { state: state ?? 'offline' } }, personAvatar(user)),
            h('div', null, h('b', null, user.nickname), h('small', null, notes.join(' · '))), !isMe && more);
    }

    async #act(work, question) {
        if (!(await ask(question, { danger: true }))) return;
        await attempt(work);
        await this.#load();
    }

    #actions(room, isOwner) {
        const button = (label, action, name, danger) => h('button', { type: 'button', class: `button small${danger ? ' danger' : ''}`, data: { action: name }, onclick: () => open('channel', action, room, this.detail) }, icon(name, 16), t(label));
        return h('section', { class: 'actions' },
            isOwner && button('channel.edit', 'editChannel', 'edit'),
            !isOwner && button('channel.leave', 'leaveChannel', 'exit'),
            isOwner && button('channel.delete', 'deleteChannel', 'trash', true));
    }
}

customElements.define('maru-details', Details);
