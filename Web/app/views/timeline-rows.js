import { h, icon } from '../dom.js';
import { dayKey, dayOf } from '../format.js';
import { t } from '../i18n.js';
import { app } from '../state.js';
import { messageRow, pendingRow } from './message.js';

const GROUP = 5 * 60_000;

/**
 * The rows of a timeline: messages with day lines and the line before the first unread one, then what waits in the outbox.
 * Messages of one person within five minutes form a group under one name.
 */
export function rowsOf({ room, thread, timeline, unreadAfter, target, mention, saved }) {
    const rows = [];
    let previous = null;
    let isMarked = unreadAfter === null;
    for (const message of timeline.messages) {
        const isOwn = String(message.user.user_id) === app.store.me;
        let isFirst = !previous || previous.user.user_id !== message.user.user_id ||
            Date.parse(message.createdAt) - Date.parse(previous.createdAt) > GROUP || !!previous.deletedAt;
        if (!previous || dayKey(previous.createdAt) !== dayKey(message.createdAt)) {
            const key = dayKey(message.createdAt);
            rows.push({ key: `day ${key}`, signature: [dayOf(message.createdAt)], make: () => h('li', { class: 'day' }, h('span', null, dayOf(message.createdAt))) });
            isFirst = true;
        }
        if (!isMarked && message.seq > unreadAfter && !isOwn) {
            isMarked = isFirst = true;
            rows.push({ key: 'unread', signature: [], make: () => h('li', { class: 'unread-line' }, t('room.new')) });
        }
        const isRoot = thread !== undefined && message.seq === thread;
        const context = { room, thread, isFirst: isFirst || isRoot, isTarget: message.seq === target, mention, isSaved: saved.has(`${room}/${message.seq}`) };
        rows.push({
            key: isOwn && message.client_id ? `own ${message.client_id}` : `seq ${message.seq}`,
            signature: [message, context.isFirst, context.isTarget, context.isSaved, mention.version, app.store.isHidden(message)],
            make: () => messageRow(message, context),
        });
        previous = message;
    }
    for (const entry of timeline.atEnd ? app.client.outbox.of(room, thread) : []) {
        const isFirst = !previous || String(previous.user.user_id) !== app.store.me;
        rows.push({
            key: `own ${entry.id}`,
            signature: [entry.state, entry.error?.code, isFirst, app.client.connection === 'offline'],
            make: () => pendingRow(entry, { isFirst, mention }),
            entry,
        });
        previous = { user: { user_id: app.store.me }, createdAt: new Date(entry.at).toISOString() };
    }
    const read = receipt(room, thread, timeline);
    return read ? [...rows, read] : rows;
}

/** Below an own last message: the number of those that have read it, with their names as a tip. */
function receipt(room, thread, timeline) {
    const last = timeline.messages.at(-1);
    if (thread !== undefined || !timeline.atEnd || !last || String(last.user.user_id) !== app.store.me || app.client.outbox.of(room).length) return null;
    const readers = app.store.readersOf(room, last.seq);
    if (!readers.length) return null;
    const names = readers.map((each) => app.store.users.get(each)?.nickname).filter(Boolean).join(', ');
    return {
        key: 'receipt', signature: [names, readers.length],
        make: () => h('li', { class: 'receipts', title: names }, icon('checks', 15), t('message.readBy', { count: readers.length })),
    };
}
