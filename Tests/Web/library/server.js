import { Store } from '../../../Web/maru/store.js';
import { Timelines } from '../../../Web/maru/timelines.js';

export const KEY = 'channel-3';
export const me = { user_id: '1', nickname: 'Anna' };
export const ben = { user_id: '2', nickname: 'Ben' };
export const message = (seq, more = {}) => ({ seq, rev: 0, content: `Text ${seq}`, user: ben, ...more });

/**
 * A room on a server, with a client of it. Its history leaves out replies unless it is asked for them. `meanwhile` happens after a
 * page was read and before it arrives.
 */
export class Server {
    messages = [];
    rev = 0;
    meanwhile = () => {};
    /** The next replies that are lost. */
    failures = 0;
    calls = [];

    constructor(messages = [message(1), message(2)]) {
        this.messages = messages;
        this.store = new Store({ later: () => {} });
        this.store.me = '1';
        this.store.setWorkspaces([{ workspace_id: '9', name: 'home' }]);
        this.store.setRooms('9', [this.view]);
        this.timelines = new Timelines(this, this.store);
    }

    get view() {
        return { channel_id: '3', name: 'general', lastSeq: this.messages.at(-1).seq, rev: this.rev };
    }

    get seqs() {
        return this.store.timeline(KEY).messages.map((each) => each.seq);
    }

    get shown() {
        return this.store.timeline(KEY).messages.map((each) => each.content);
    }

    /** Writes a message or a change; told by the live connection or not. */
    say(made, { told = true } = {}) {
        const isChange = this.messages.some((each) => each.seq === made.seq);
        this.messages = [...this.messages.filter((each) => each.seq !== made.seq), made].sort((one, other) => one.seq - other.seq);
        this.rev = Math.max(this.rev, made.rev);
        if (told) this.store.apply({ name: isChange ? 'changed' : 'message', data: { room: KEY, message: made } });
        return made;
    }

    /** The gateway's answer to a connection with cursors: messages first, then changes. */
    reconnect() {
        const named = this.store.cursors();
        this.store.setRooms('9', [this.view]);
        const [seq, rev] = named[KEY] ?? [Infinity, Infinity];
        for (const each of this.messages.filter((each) => each.seq > seq)) this.store.apply({ name: 'message', data: { room: KEY, message: each } });
        for (const each of this.changed(rev).filter((each) => each.seq <= seq)) this.store.apply({ name: 'changed', data: { room: KEY, message: each } });
        return named;
    }

    async answer(name, reply) {
        this.calls.push(name);
        const { meanwhile } = this;
        this.meanwhile = () => {};
        await meanwhile();
        if (this.failures-- > 0) throw Object.assign(new Error('offline'), { isOffline: true });
        return reply;
    }

    history(room, { before = Infinity, after = 0, limit, threads }) {
        const all = this.messages.filter((each) => each.seq < before && each.seq > after && (threads === 'inline' || !each.thread || each.thread.toRoom));
        return this.answer('history', after ? all.slice(0, limit) : all.slice(-limit));
    }

    changes(room, rev) {
        return this.answer('changes', { items: this.changed(rev), rev: this.rev, complete: true });
    }

    changed(rev) {
        return this.messages.filter((each) => each.rev > rev).sort((one, other) => one.rev - other.rev);
    }

    thread(room, root) {
        const items = this.messages.filter((each) => each.thread?.root === root);
        return this.answer('thread', { root: this.messages.find((each) => each.seq === root), items, next: null });
    }
}
/** The first messages of a room. */
export const many = (count) => Array.from({ length: count }, (_, place) => message(place + 1));
