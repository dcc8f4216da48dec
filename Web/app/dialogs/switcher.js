import { h, icon } from '../dom.js';
import { t } from '../i18n.js';
import { personAvatar } from '../parts/avatar.js';
import { initials } from '../parts/completion.js';
import { closeByPressOutside, showDialog } from '../parts/dialog.js';
import { attempt } from '../parts/toast.js';
import { app } from '../state.js';

/** The keys that open it. */
export const switcherKeys = /Mac|iP/.test(navigator.platform) ? '⌘ K' : 'Ctrl K';

/** The quick switcher: rooms and people by a part of their names, or by initial consonants. */
export function openSwitcher() {
    const workspace = app.route.workspace;
    if (!workspace) return;
    const input = h('input', { class: 'input', role: 'combobox', 'aria-expanded': 'true', 'aria-controls': 'switcher-list', 'aria-autocomplete': 'list', 'aria-label': t('switcher.title'), placeholder: t('switcher.title') });
    const list = h('ul', { role: 'listbox', id: 'switcher-list', 'aria-label': t('switcher.title') });
    const nothing = h('p', { hidden: true, role: 'status' }, t('switcher.none'));
    const dialog = h('dialog', { class: 'switcher', 'aria-label': t('switcher.title') }, input, list, nothing);
    let found = [], chosen = 0, abort = null;

    const choose = (place) => {
        chosen = place;
        for (const [each, row] of [...list.children].entries()) row.setAttribute('aria-selected', String(each === place));
        list.children[place]?.scrollIntoView({ block: 'nearest' });
        input.setAttribute('aria-activedescendant', found.length ? `switch-${place}` : '');
    };
    const show = (entries) => {
        found = entries;
        list.replaceChildren(...entries.map((each, place) => h('li', { role: 'option', id: `switch-${place}`, 'aria-selected': 'false', onclick: () => take(each) },
            each.user ? personAvatar(each.user, 'small') : icon('hash', 18), each.name, each.note && h('small', null, each.note))));
        nothing.hidden = entries.length > 0;
        choose(0);
    };
    const take = (entry) => {
        dialog.close();
        attempt(entry.go);
    };
    const find = async () => {
        const query = input.value.trim();
        show(ownRooms(workspace, query));
        abort?.abort();
        if (!query) return;
        abort = new AbortController();
        const { signal } = abort;
        try {
            const reply = await app.client.routes.find(workspace, query, signal);
            if (signal.aborted) return;
            const keep = found[chosen]?.key;
            show(merged(ownRooms(workspace, query), reply, workspace));
            choose(Math.max(0, found.findIndex((each) => each.key === keep)));
        } catch {
            // The user's own rooms are shown already.
        }
    };
    input.addEventListener('input', find);
    input.addEventListener('keydown', (event) => {
        if (event.isComposing || event.keyCode === 229) return;
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (step && found.length) choose((chosen + step + found.length) % found.length);
        else if (event.key === 'Enter' && found[chosen]) take(found[chosen]);
        else return;
        event.preventDefault();
    });
    closeByPressOutside(dialog);
    showDialog(dialog);
    input.focus();
    find();
}

function ownRooms(workspace, query) {
    const typed = query.toLowerCase().normalize('NFC');
    return app.store.roomsOf(workspace)
        .filter((each) => each.name.toLowerCase().includes(typed) || initials(each.name).includes(typed))
        .sort((one, other) => other.unreadCount - one.unreadCount || (other.lastMessage?.createdAt ?? '').localeCompare(one.lastMessage?.createdAt ?? ''))
        .slice(0, 10)
        .map((room) => ({ key: room.key, name: room.name, user: room.user, note: room.unreadCount ? t('nav.unread', { count: room.unreadCount }) : '', go: () => app.go({ workspace, room: room.key }) }));
}

function merged(own, { users, channels, dms }, workspace) {
    const all = new Map(own.map((each) => [each.key, each]));
    const add = (entry) => all.has(entry.key) || all.set(entry.key, entry);
    const withDm = new Set(app.store.roomsOf(workspace).filter((each) => each.user).map((each) => String(each.user.user_id)));
    for (const { room_id, user } of dms) {
        withDm.add(String(user.user_id));
        add({ key: `dm-${room_id}`, name: user.nickname, user, go: () => app.go({ workspace, room: `dm-${room_id}` }) });
    }
    for (const channel of channels) {
        const key = `channel-${channel.channel_id}`;
        add({ key, name: channel.name, note: app.store.rooms.has(key) ? '' : t('channel.join'), go: async () => {
            if (!app.store.rooms.has(key)) await app.client.joinChannel(workspace, channel);
            app.go({ workspace, room: key });
        } });
    }
    for (const user of users) {
        if (withDm.has(String(user.user_id)) || String(user.user_id) === app.store.me) continue;
        add({ key: `user-${user.user_id}`, name: user.nickname, user, note: user.email, go: async () => app.go({ workspace, room: (await app.client.openDm(workspace, user.user_id)).key }) });
    }
    return [...all.values()];
}
