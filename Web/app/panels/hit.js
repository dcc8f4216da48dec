import { isThreadOnly, plain } from '../../maru/rooms.js';
import { h } from '../dom.js';
import { fileName, shortMoment } from '../format.js';
import { t } from '../i18n.js';
import { highlighted } from '../markup.js';
import { nameOf, nicknameOf } from '../names.js';
import { app } from '../state.js';

/** A message in a list; a click goes to it. */
export function hitRow({ room: key, message, highlights, onclick, note }) {
    const room = app.store.rooms.get(key);
    const go = () => {
        if (isThreadOnly(message)) return app.show({ kind: 'thread', room: key, seq: message.thread.root });
        app.go({ workspace: room?.workspace ?? app.route.workspace, room: key, seq: message.seq });
        return innerWidth <= 1100 && app.show(null);
    };
    const isHidden = !message.deletedAt && app.store.isHidden(message);
    const shown = around(plain(isHidden ? '' : (message.content ?? ''), highlights ?? [], nicknameOf));
    const text = isHidden ? t('message.blocked') : shown.text || message.files?.map(fileName).join(', ') || (message.deletedAt ? t('message.deleted') : '');
    return h('li', null, h('button', { type: 'button', class: 'hit', onclick: onclick ?? go },
        h('span', { class: 'hit-head' }, h('b', null, nameOf(message.user)), room && h('span', null, room.kind === 'channel' ? `# ${room.name}` : room.name), note && h('span', null, note), h('time', { datetime: message.createdAt }, shortMoment(message.createdAt))),
        h('span', { class: 'hit-text' }, highlighted(text, shown.text ? shown.ranges : []))));
}

/** Characters before the first found part, so that it shows in the few lines of a hit. */
const BEFORE = 60;

/** A text that begins shortly before its first found part. */
function around({ text, ranges }) {
    const [first] = ranges[0] ?? [0];
    const isFar = first > 2 * BEFORE || text.slice(0, first).split('\n').length > 2;
    if (!isFar) return { text, ranges };
    // It begins with a word, and with the line of the part.
    const before = text.slice(Math.max(0, first - BEFORE), first);
    const cut = first - before.length + Math.max(before.lastIndexOf('\n'), before.length === BEFORE ? before.indexOf(' ') : -1) + 1;
    return { text: `…${text.slice(cut)}`, ranges: ranges.map(([start, length]) => [start - cut + 1, length]) };
}
