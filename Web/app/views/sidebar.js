import { h, icon, iconButton, keyed, View } from '../dom.js';
import { t } from '../i18n.js';
import { nameOf } from '../names.js';
import { openSwitcher, switcherKeys } from '../dialogs/switcher.js';
import { personAvatar } from '../parts/avatar.js';
import { badge } from '../parts/badge.js';
import { openMenu } from '../parts/menu.js';
import { open } from '../parts/open.js';
import { app } from '../state.js';

const lists = [['mentions', 'at'], ['threads', 'thread'], ['saved', 'bookmark'], ['scheduled', 'clock']];

/** The rooms of the current workspace. */
class Sidebar extends View {
    #title = h('span');
    #channels = h('ul');
    #dms = h('ul');
    #unavailable = h('p', { class: 'side-none', hidden: true }, t('state.unavailable'));
    #noDms = h('p', { class: 'side-none', hidden: true }, t('empty.dms'));
    #body = h('div', { class: 'side-scroll' });
    #above = h('button', { type: 'button', class: 'side-more above', hidden: true, onclick: () => this.#reveal(-1) }, t('nav.moreUnread'), icon('down', 15));
    #below = h('button', { type: 'button', class: 'side-more', hidden: true, onclick: () => this.#reveal(1) }, t('nav.moreUnread'), icon('down', 15));

    setup() {
        const dialog = (file, name) => () => open(file, name, app.route.workspace);
        const menu = h('button', { type: 'button', class: 'side-title', 'aria-haspopup': 'menu', data: { action: 'workspace-menu' }, onclick: () => this.#openMenu(menu) }, this.#title, icon('down', 16));
        this.#body.append(
            h('ul', null, lists.map(([kind, name]) => h('li', null, h('button', { type: 'button', class: 'side-row', data: { list: kind }, onclick: () => app.toggle(kind) }, icon(name, 18), h('span', { class: 'name' }, t(`nav.${kind}`)))))),
            this.#unavailable,
            h('div', { class: 'side-group' }, h('h2', { id: 'side-channels' }, t('nav.channels')), iconButton('compass', t('nav.explore'), dialog('channel', 'exploreChannels'), { class: 'icon-button small', size: 17 }), iconButton('plus', t('nav.addChannel'), dialog('channel', 'createChannel'), { class: 'icon-button small', size: 17 })),
            this.#channels,
            h('div', { class: 'side-group' }, h('h2', { id: 'side-dms' }, t('nav.dms')), iconButton('plus', t('nav.addDm'), dialog('people', 'chooseDm'), { class: 'icon-button small', size: 17 })),
            this.#dms, this.#noDms);
        this.#channels.setAttribute('aria-labelledby', 'side-channels');
        this.#dms.setAttribute('aria-labelledby', 'side-dms');
        this.replaceChildren(h('div', { class: 'side-head' }, h('h1', null, menu)),
            h('button', { type: 'button', class: 'side-find', onclick: () => openSwitcher() }, icon('search', 16), t('nav.switcher'), h('kbd', { 'aria-hidden': 'true' }, switcherKeys)),
            h('div', { class: 'side-rooms' }, this.#above, this.#body, this.#below));
        this.menu = menu;
        this.#body.addEventListener('scroll', () => this.#tellHidden(), { passive: true });
        const resized = new ResizeObserver(() => this.#tellHidden());
        resized.observe(this.#body);
        this.onEnd(() => resized.disconnect());
        this.listen(app.store, ['rooms', 'workspaces', 'users', 'presence']);
        this.listen(app, 'route');
        this.onEnd(() => app.client.watch.set('sidebar', []));
    }

    render() {
        const workspace = app.store.workspaces.get(app.route.workspace);
        this.toggleAttribute('data-empty', !workspace);
        for (const child of this.children) child.hidden = !workspace;
        if (!workspace) return;
        this.#title.textContent = workspace.name;
        this.menu.setAttribute('aria-label', t('nav.menu', { name: workspace.name }));
        const rooms = app.store.roomsOf(app.route.workspace);
        const byName = (one, other) => one.name.localeCompare(other.name, undefined, { numeric: true });
        const byNews = (one, other) => (other.lastMessage?.createdAt ?? '').localeCompare(one.lastMessage?.createdAt ?? '') || byName(one, other);
        this.#show(this.#channels, rooms.filter((each) => each.kind === 'channel').sort(byName));
        const dms = rooms.filter((each) => each.kind === 'dm').sort(byNews);
        this.#show(this.#dms, dms);
        this.#unavailable.hidden = !app.store.unavailable.has(app.route.workspace);
        this.#noDms.hidden = dms.length > 0 || !this.#unavailable.hidden;
        app.client.watch.set('sidebar', rooms.filter((each) => each.user).map((each) => String(each.user.user_id)));
        this.#count('threads', app.store.threads.get(app.route.workspace)?.unreadCount ?? 0);
        this.#count('mentions', app.store.badge(app.route.workspace).mentionCount);
        this.#tellHidden();
    }

    /** The unread rooms that are scrolled away, above (-1) or below (1). */
    #hiddenUnread(side) {
        const box = this.#body.getBoundingClientRect();
        return [...this.#body.querySelectorAll('.side-row.unread')].filter((row) => {
            const { top, bottom } = row.getBoundingClientRect();
            return side < 0 ? bottom < box.top + 8 : top > box.bottom - 8;
        });
    }

    #tellHidden() {
        this.#above.hidden = !this.#hiddenUnread(-1).length;
        this.#below.hidden = !this.#hiddenUnread(1).length;
    }

    #reveal(side) {
        const hidden = this.#hiddenUnread(side);
        (side < 0 ? hidden.at(-1) : hidden[0])?.scrollIntoView({ block: 'center' });
    }

    #count(kind, count) {
        const row = this.querySelector(`[data-list="${kind}"]`);
        const shown = row.querySelector('.badge');
        if (count === Number(shown?.title ?? 0)) return;
        shown?.remove();
        row.removeAttribute('aria-label');
        if (!count) return;
        row.setAttribute('aria-label', `${t(`nav.${kind}`)}, ${t(kind === 'threads' ? 'nav.unread' : 'nav.mentionsOf', { count })}`);
        row.append(badge(count));
    }

    #show(list, rooms) {
        keyed(list, rooms.map((room) => {
            const isCurrent = room.key === app.route.room;
            const user = room.user && (app.store.users.get(String(room.user.user_id)) ?? room.user);
            const state = user ? app.store.isOnline(user.user_id) : null;
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
        const hasDraft = room.draft?.content && !isCurrent;
        const notes = [state && state !== 'offline' && t(`presence.${state}`), room.mentionCount && t('nav.mentionsOf', { count: room.mentionCount }), room.unreadCount && t('nav.unread', { count: room.unreadCount }),
            isMuted && t('nav.muted'), hasDraft && t('nav.draft')].filter(Boolean);
        const name = user ? nameOf(user) : room.name;
        return h('li', null, h('a', {
            class: `side-row${room.unreadCount && !isMuted ? ' unread' : ''}${isMuted ? ' muted' : ''}`,
            href: `#/${room.workspace}/${room.key}`,
            'aria-current': isCurrent ? 'page' : undefined,
            'aria-label': [name, ...notes].join(', '),
            data: { action: `room-${room.key}`, room: room.key },
        },
        user ? h('span', { class: 'presence', data: { state } }, personAvatar(user, 'small')) : icon('hash', 18),
        h('span', { class: 'name' }, name),
        hasDraft ? h('span', { class: 'draft' }, icon('edit', 15)) : null,
        isMuted ? icon('mute', 15) : null,
        count ? badge(count) : null));
    }

    async #openMenu(anchor) {
        const workspace = app.store.workspaces.get(app.route.workspace);
        const isOwner = String(workspace.owner_id) === app.store.me;
        // Admins may what owners may, except for the end of the workspace. The server decides in any case.
        const leads = isOwner || (await app.client.routes.role(workspace.workspace_id).then(({ role }) => role === 'admin', () => false));
        const dialog = (name, file = 'workspace') => () => open(file, name, workspace);
        openMenu(anchor, [
            leads && { label: t('workspace.invite'), icon: 'plus', action: dialog('inviteMember') },
            { label: t('workspace.members'), icon: 'users', action: dialog('showMembers', 'members') },
            leads && { label: t('invite.title'), icon: 'clip', action: dialog('openInvitations', 'owner') },
            leads && { label: t('role.title'), icon: 'check', action: dialog('openRoles', 'owner') },
            leads && { label: t('requests.title'), icon: 'plus', action: dialog('openJoinRequests', 'entry') },
            leads && { label: t('bans.title'), icon: 'ban', action: dialog('openBans', 'entry') },
            leads && { label: t('reports.title'), icon: 'warn', action: dialog('openReports', 'owner') },
            leads && { label: t('audit.title'), icon: 'clock', action: dialog('openAudit', 'owner') },
            leads && { label: t('workspace.settings'), icon: 'gear', action: dialog('editWorkspace') },
            'line',
            !isOwner && { label: t('report.this'), icon: 'warn', action: dialog('reportWorkspace', 'report') },
            isOwner
                ? { label: t('workspace.delete'), icon: 'trash', danger: true, action: dialog('deleteWorkspace') }
                : { label: t('workspace.leave'), icon: 'exit', danger: true, action: dialog('leaveWorkspace') },
        ]);
    }
}

customElements.define('maru-sidebar', Sidebar);
