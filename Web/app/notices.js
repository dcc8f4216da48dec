import { isQuiet } from '../maru/hours.js';
import { preview } from '../maru/rooms.js';
import { t } from './i18n.js';
import { app } from './state.js';

/** The badge in the title and browser notifications of messages that are not on the screen. */
export function startNotices() {
    const { store } = app;
    for (const name of ['rooms', 'unread']) store.on(name, showBadge);
    app.on('route', showBadge);
    app.client.session.on('changed', showBadge);
    store.on('message', notify);
    showBadge();
}

function showBadge() {
    // The server's number is the one that the user's other devices show.
    const count = app.store.unread?.unreadCount ?? app.store.knownUnread();
    const place = app.room?.name ?? app.store.workspaces.get(app.route.workspace)?.name;
    document.title = `${count ? `(${count > 99 ? '99+' : count}) ` : ''}${place ? `${place} · ` : ''}Maru`;
    navigator.setAppBadge?.(count)?.catch(() => {});
}

function notify({ room: key, message }) {
    const room = app.store.rooms.get(key);
    if (!room || app.get('notices') !== 'on' || globalThis.Notification?.permission !== 'granted') return;
    if (document.hasFocus() && app.route.room === key) return;
    const isMention = room.kind === 'dm' || (message.mentions ?? []).some((each) => each.type !== 'user' || String(each.user_id) === app.store.me);
    const isMuted = room.mutedUntil && Date.parse(room.mutedUntil) > Date.now();
    if (isMuted || isQuiet(app.store.settings?.doNotDisturb) || room.notify === 'none' || (room.notify === 'mentions' && !isMention)) return;
    const title = room.kind === 'dm' ? message.user.nickname : t('notice.in', { name: message.user.nickname, room: room.name });
    const notice = new Notification(title, { body: preview(message).slice(0, 200) || t('notice.file'), tag: `${key}-${message.seq}` });
    notice.onclick = () => {
        window.focus();
        app.go({ workspace: room.workspace, room: key });
        notice.close();
    };
}
