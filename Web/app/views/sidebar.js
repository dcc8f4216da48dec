import { h, icon, iconButton, keyed, View } from '../dom.js';
import { t } from '../i18n.js';
import { openSwitcher } from '../dialogs/switcher.js';
import { personAvatar } from '../parts/avatar.js';
import { openMenu } from '../parts/menu.js';
import { app } from '../state.js';

const lists = [['mentions', 'at'], ['threads', 'thread'], ['saved', 'bookmark'], ['scheduled', 'clock']];

/** The rooms of the current workspace. */
class Sidebar extends View {
    #title = h('span');
    #channels = h('ul');
    #dms = h('ul');
    #body = h('div', { class: 'side-scroll' });

    setup() {
        const dialog = (file, name) => async () => (await import(`../dialogs/${file}.js`))[name](app.route.workspace);
        const menu = h('button', { type: 'button', class: 'side-title', 'aria-haspopup': 'menu', data: { action: 'workspace-menu' }, onclick: () => this.#openMenu(menu) }, this.#title, icon('down', 16));
        const isMac = /Mac|iP/.test(navigator.platform);
        this.#body.append(
            h('ul', null, lists.map(([kind, name]) => h('li', null, h('button', { type: 'button', class: 'side-row', data: { list: kind }, onclick: () => app.toggle(kind) }, icon(name, 18), h('span', { class: 'name' }, t(`nav.${kind}`)))))),
            h('div', { class: 'side-group' }, h('h2', { id: 'side-channels' }, t('nav.channels')), iconButton('compass', t('nav.explore'), dialog('channel', 'exploreChannels'), { class: 'icon-button small', size: 17 }), iconButton('plus', t('nav.addChannel'), dialog('channel', 'createChannel'), { class: 'icon-button small', size: 17 })),
            this.#channels,
            h('div', { class: 'side-group' }, h('h2', { id: 'side-dms' }, t('nav.dms')), iconButton('plus', t('nav.addDm'), dialog('people', 'chooseDm'), { class: 'icon-button small', size: 17 })),
            this.#dms);
        this.#channels.setAttribute('aria-labelledby', 'side-channels');
        this.#dms.setAttribute('aria-labelledby', 'side-dms');
        this.replaceChildren(h('div', { class: 'side-head' }, h('h1', null, menu)),
            h('button', { type: 'button', class: 'side-find', onclick: () => openSwitcher() }, icon('search', 16), t('nav.switcher'), h('kbd', { 'aria-hidden': 'true' }, isMac ? '⌘ K' : 'Ctrl K')),
            this.#body);
        this.menu = menu;
        this.listen(app.store, ['rooms', 'workspaces', 'users', 'presence']);
        this.listen(app, 'route');
        this.listen(app.client, 'connection', () => {
            this.watched = null;
            this.invalidate();
        });
    }

    render() {
        const workspace = app.store.workspaces.get(app.route.workspace);
        this.toggleAttribute('data-empty', !app.store.workspaces.size);
        for (const child of this.children) child.hidden = !workspace;
        if (!workspace) return;
        this.#title.textContent = workspace.name;
        this.menu.setAttribute('aria-label', t('nav.menu', { name: workspace.name }));
        const rooms = app.store.roomsOf(app.route.workspace);
        const byName = (one, other) => one.name.localeCompare(other.name);
        const byNews = (one, other) => (other.lastMessage?.createdAt ?? '').localeCompare(one.lastMessage?.createdAt ?? '') || byName(one, other);
        this.#show(this.#channels, rooms.filter((each) => each.kind === 'channel').sort(byName));
        this.#show(this.#dms, rooms.filter((each) => each.kind === 'dm').sort(byNews));
        this.#watch(rooms);
        this.#count('threads', app.store.threads.get(app.route.workspace)?.unreadCount ?? 0);
        this.#count('mentions', app.store.badge(app.route.workspace).mentionCount);
    }

    #count(kind, count) {
        const row = this.querySelector(`[data-list="${kind}"]`);
        const badge = row.querySelector('.badge');
        if (count === Number(badge?.textContent ?? 0)) return;
        badge?.remove();
        if (count) row.append(h('span', { class: 'badge' }, count));
    }

    #show(list, rooms) {
        keyed(list, rooms.map((room) => {
            const isCurrent = room.key === app.route.room;
            const user = room.user && (app.store.users.get(String(room.user.user_id)) ?? room.user);
            const state = user && app.store.isOnline(user.user_id);
            const isMuted = room.notify === 'none' || (room.mutedUntil && Date.parse(room.mutedUntil) > Date.now());
            return {
                key: room.key,
                signature: [room.name, room.unreadCount, room.mentionCount, isCurrent, user, state, isMuted, !!room.draft?.content],
                make: () => this.#row(room, { isCurrent, user, state, isMuted }),
            };
        }));
    }

    #row(room, { isCurrent, user, state, isMuted }) {
        const count = room.kind === 'dm' ? room.unreadCount : room.mentionCount;
        const notes = [room.mentionCount && t('nav.mentionsOf', { count: room.mentionCount }), room.unreadCount && t('nav.unread', { count: room.unreadCount })].filter(Boolean);
        const name = user?.nickname ?? room.name;
        return h('li', null, h('a', {
            class: `side-row${room.unreadCount && !isMuted ? ' unread' : ''}${isMuted ? ' muted' : ''}`,
            href: `#/${room.workspace}/${room.key}`,
            'aria-current': isCurrent ? 'page' : undefined,
            'aria-label': [name, ...notes].join(', '),
            data: { action: `room-${room.key}`, room: room.key },
        },
        user ? h('span', { class: 'presence', data: { state } }, personAvatar(user, 'small')) : icon('hash', 18),
        h('span', { class: 'name' }, name),
        room.draft?.content && !isCurrent ? h('span', { class: 'draft' }, icon('edit', 15)) : null,
        isMuted ? icon('mute', 15) : null,
        count ? h('span', { class: 'badge', 'aria-hidden': 'true' }, count > 99 ? '99+' : count) : null));
    }

    /** Asks for the presence of the people in the list. */
    #watch(rooms) {
        const users = rooms.filter((each) => each.user).map((each) => String(each.user.user_id)).slice(0, 500).sort();
        const wanted = users.join();
        if (wanted === this.watched || app.client.live.state !== 'live') return;
        this.watched = wanted;
        app.client.live.request('presence', { users }).then((reply) => reply?.users && app.store.apply({ name: 'presence', data: reply }), () => {});
    }

    async #openMenu(anchor) {
        const workspace = app.store.workspaces.get(app.route.workspace);
        const isOwner = String(workspace.owner_id) === app.store.me;
        // Admins may what owners may, except for the end of the workspace. The server decides in any case.
        const leads = isOwner || (await app.client.routes.role(workspace.workspace_id).then(({ role }) => role === 'admin', () => false));
        const open = (name, file = 'workspace') => async () => (await import(`../dialogs/${file}.js`))[name](workspace);
        openMenu(anchor, [
            leads && { label: t('workspace.invite'), icon: 'plus', action: open('inviteMember') },
            { label: t('workspace.members'), icon: 'users', action: open('showMembers') },
            leads && { label: t('invite.title'), icon: 'clip', action: open('openInvitations', 'owner') },
            leads && { label: t('role.title'), icon: 'check', action: open('openRoles', 'owner') },
            leads && { label: t('reports.title'), icon: 'warn', action: open('openReports', 'owner') },
            leads && { label: t('audit.title'), icon: 'clock', action: open('openAudit', 'owner') },
            leads && { label: t('workspace.settings'), icon: 'gear', action: open('editWorkspace') },
            'line',
            !isOwner && { label: t('report.this'), icon: 'warn', action: open('reportWorkspace', 'report') },
            isOwner
                ? { label: t('workspace.delete'), icon: 'trash', danger: true, action: open('deleteWorkspace') }
                : { label: t('workspace.leave'), icon: 'exit', danger: true, action: open('leaveWorkspace') },
        ]);
    }
}

customElements.define('maru-sidebar', Sidebar);
