const PAGE = 50;
/** The longest window while it is scrolled. */
const LONGEST = 250;

/** A `before_seq` above every message. */
export const NEWEST = Number.MAX_SAFE_INTEGER;

/** Loads the messages of rooms and threads into the store, page by page. */
export class Timelines {
    constructor(routes, store) {
        this.routes = routes;
        this.store = store;
    }

    /** Loads the newest page of a room unless its end is held. */
    async open(key) {
        const timeline = this.store.timeline(key);
        if (timeline.loaded && timeline.atEnd) return timeline;
        return this.openAtEnd(key);
    }

    async openAtEnd(key) {
        const room = this.#room(key);
        const messages = await this.routes.history(room, { before: NEWEST, limit: PAGE });
        const rev = this.store.rooms.get(key)?.rev ?? 0;
        this.store.page(key, messages, (timeline, page) =>
            timeline.open(page, { atStart: messages.length < PAGE, atEnd: true, rev: Math.min(room.rev, rev) }));
        return this.store.timeline(key);
    }

    /** Loads the surroundings of a message, as for a jump. */
    async openAt(key, seq) {
        const timeline = this.store.timeline(key);
        if (timeline.get(seq)) return timeline;
        const room = this.#room(key);
        const [before, after] = await Promise.all([
            this.routes.history(room, { before: seq + 1, limit: PAGE }),
            this.routes.history(room, { after: seq, limit: PAGE }),
        ]);
        this.store.page(key, [...before, ...after], (held, page) =>
            held.open(page, { atStart: before.length < PAGE, atEnd: after.length < PAGE, rev: room.rev }));
        return timeline;
    }

    async loadBefore(key) {
        const timeline = this.store.timeline(key);
        if (timeline.atStart) return;
        const messages = await this.routes.history(this.#room(key), { before: timeline.oldest, limit: PAGE });
        this.store.page(key, messages, (held, page) => held.prepend(page, messages.length < PAGE, LONGEST));
    }

    async loadAfter(key) {
        const timeline = this.store.timeline(key);
        if (timeline.atEnd) return;
        const messages = await this.routes.history(this.#room(key), { after: timeline.newest, limit: PAGE });
        this.store.page(key, messages, (held, page) => held.append(page, messages.length < PAGE, LONGEST));
    }

    async openThread(key, root) {
        const room = this.#room(key);
        const place = `${key}/${root}`;
        const reply = await this.routes.thread(room, root);
        const all = [reply.root, ...reply.items];
        for (let next = reply.next; next; ) {
            const page = await this.routes.thread(room, root, next);
            all.push(...page.items);
            next = page.next;
        }
        this.store.page(place, all, (held, page) => held.open(page, { atStart: true, atEnd: true }));
        return this.store.timeline(place);
    }

    /** Loads how far the members of a room have read; a large room tells no single members. */
    async loadReaders(key) {
        const readers = await this.routes.readers(this.#room(key));
        this.store.readers.set(key, new Map(readers.filter((each) => each.user_id).map((each) => [String(each.user_id), each.seq])));
        this.store.emit('readers', key);
    }

    /** Brings a loaded timeline up to date: newer messages, then changes of the held ones. */
    async sync(key) {
        const timeline = this.store.timelines.get(key);
        const room = this.store.rooms.get(key);
        if (!room || !timeline?.loaded) return;
        while (timeline.atEnd) {
            const page = await this.routes.history(room, { after: timeline.newest, limit: 200 });
            for (const each of page) this.store.take(key, each, { live: true });
            if (page.length < 200) break;
        }
        for (;;) {
            const { items, rev, complete } = await this.routes.changes(room, timeline.rev);
            for (const each of items) this.store.take(key, each);
            timeline.rev = Math.max(timeline.rev, items.at(-1)?.rev ?? 0, complete ? rev : 0);
            if (complete || !items.length) return;
        }
    }

    /** Fills a gap that the live connection told of; beyond a thousand messages it begins anew at the end. */
    fill({ room, from, to }) {
        return to - from > 1000 && this.store.timelines.get(room)?.atEnd ? this.openAtEnd(room) : this.sync(room);
    }

    #room(key) {
        const room = this.store.rooms.get(key);
        if (!room) throw new Error(`There is no room ${key}.`);
        return room;
    }
}
