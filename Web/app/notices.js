import { isQuiet } from '../maru/hours.js';
import { hasKeyword, isThreadOnly, preview } from '../maru/rooms.js';
import { t } from './i18n.js';
import { app } from './state.js';

/** For so long the page knows whether its user follows a thread: that changes by own replies, mentions and other devices. */
const FOLLOWING_LASTS = 10_000;
const following = new Map();

/** The badge in the title and browser notifications of messages that are not on the screen. */
export function startNotices() {
    const { store } = app;
    for (const name of ['rooms', 'unread']) store.on(name, showBadge);
    app.on('route', showBadge);
    app.client.session.on('changed', showBadge);
    app.client.session.on('changed', () => following.clear());
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

/** Whether the user follows a thread, which only the server knows. */
function isFollowing(room, { thread: { root }, seq }) {
    const place = `${room.key}/${root}`;
    const known = following.get(place);
    if (known && Date.now() - known.at < FOLLOWING_LASTS) return known.answer;
    const answer = app.client.routes.thread(room, root, seq - 1).then((found) => found.following, () => false);
    following.set(place, { at: Date.now(), answer });
    return answer;
}

/** Shows a message as the server would push it, but with all of a DM: a reply that stays in its thread is for those who follow it. */
async function notify({ room: key, message }) {
    const room = app.store.rooms.get(key);
    const isSeen = () => document.hasFocus() && app.route.room === key;
    if (!room || app.get('notices') !== 'on' || globalThis.Notification?.permission !== 'granted' || isSeen()) return;
    const isMention = room.kind === 'dm' || (message.mentions ?? []).some((each) => each.type !== 'user' || String(each.user_id) === app.store.me);
    const isMuted = room.mutedUntil && Date.parse(room.mutedUntil) > Date.now();
    if (isMuted || isQuiet(app.store.settings?.doNotDisturb) || room.notify === 'none') return;
    const isCalled = isMention || hasKeyword(message.content ?? '', app.store.settings?.keywords ?? []);
    if (!isCalled && isThreadOnly(message)) {
        if (!(await isFollowing(room, message)) || isSeen() || !app.store.rooms.has(key)) return;
    } else if (!isCalled && room.notify === 'mentions') {
        return;
    }
    const title = room.kind === 'dm' ? message.user.nickname : t('notice.in', { name: message.user.nickname, room: room.name });
    const notice = new Notification(title, { body: preview(message).slice(0, 200) || t('notice.file'), tag: `${key}-${message.seq}` });
    notice.onclick = () => {
        window.focus();
        app.go({ workspace: room.workspace, room: key });
        notice.close();
    };
}
