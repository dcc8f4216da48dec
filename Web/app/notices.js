import { isQuiet } from '../maru/hours.js';
import { hasKeyword, isThreadOnly, preview } from '../maru/rooms.js';
import { t } from './i18n.js';
import { nicknameOf } from './names.js';
import { toast } from './parts/toast.js';
import { isSeen, take, tellSeen } from './seen.js';
import { app } from './state.js';

/** How long the page remembers whether its user follows a thread: that changes by own replies, mentions and other devices. */
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
    tellSeen();
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

/**
 * Shows a message as the server would push it, but with all of a DM: a reply that stays in its thread is for those who follow it. All
 * tabs of a browser hear of a message, and one of them shows it, unless the user looks at the room in any of them.
 */
async function notify({ room: key, message }) {
    const room = app.store.rooms.get(key);
    if (!room || app.get('notices') !== 'on' || globalThis.Notification?.permission !== 'granted') return;
    const isMention = room.kind === 'dm' || (message.mentions ?? []).some((each) => each.type !== 'user' || String(each.user_id) === app.store.me);
    const isMuted = room.mutedUntil && Date.parse(room.mutedUntil) > Date.now();
    if (isMuted || isQuiet(app.store.settings?.doNotDisturb) || room.notify === 'none') return;
    const isCalled = isMention || hasKeyword(message.content ?? '', app.store.settings?.keywords ?? []);
    if (!isCalled && isThreadOnly(message)) {
        if ((await isSeen(key)) || !(await isFollowing(room, message))) return;
    } else if (!isCalled && room.notify === 'mentions') {
        return;
    }
    if ((await isSeen(key)) || !(await take(key, message.seq)) || !app.store.rooms.has(key)) return;
    const title = room.kind === 'dm' ? message.user.nickname : t('notice.in', { name: message.user.nickname, room: room.name });
    show(title, { body: preview(message, nicknameOf).slice(0, 200) || t('notice.file'), tag: `${key}-${message.seq}` }, () => goTo(room, message));
}

/** Goes to the room of a message, and opens the thread of a reply that stays in it. */
function goTo({ key, workspace }, message) {
    // The panel of the room that is left closes on the way.
    if (isThreadOnly(message)) app.next('route').then(() => app.room && app.show({ kind: 'thread', room: key, seq: message.thread.root }));
    app.go({ workspace, room: key });
}

/** Chrome for Android gives the permission, but pages without a service worker show nothing there: the constructor throws. */
function show(title, options, onclick) {
    let notice;
    try {
        notice = new Notification(title, options);
    } catch {
        app.set('notices', 'off');
        return whenVisible(() => toast(t('settings.browserNone'), { bad: true }));
    }
    notice.onclick = () => {
        window.focus();
        onclick();
        notice.close();
    };
}

function whenVisible(work) {
    if (!document.hidden) return work();
    document.addEventListener('visibilitychange', () => whenVisible(work), { once: true });
}
