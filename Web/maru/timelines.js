const PAGE = 50;
/** The longest window while it is scrolled. */
const LONGEST = 250;
/** The number of messages of a room that stay after its view. */
const KEPT = 200;

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
        if (!timeline.loaded || !timeline.atEnd) return this.openAtEnd(key);
        // An earlier catching up may have failed.
        if (timeline.isBehind) await this.sync(key);
        return timeline;
    }

    openAtEnd(key) {
        const room = this.#room(key);
        this.store.timeline(key).turn += 1;
        return this.#load(key, room.rev, async () => {
            const messages = await this.routes.history(room, { before: NEWEST, limit: PAGE });
            return [messages, (timeline, page) =>
                timeline.open(page, { atStart: messages.length < PAGE, atEnd: true, rev: room.rev })];
        });
    }

    /** Loads the surroundings of a message, as for a jump. */
    async openAt(key, seq) {
        const timeline = this.store.timeline(key);
        timeline.turn += 1;
        if (timeline.get(seq)) return timeline;
        const room = this.#room(key);
        return this.#load(key, room.rev, async () => {
            const [before, after] = await Promise.all([
                this.routes.history(room, { before: seq + 1, limit: PAGE }),
                this.routes.history(room, { after: seq, limit: PAGE }),
            ]);
            return [[...before, ...after], (held, page) =>
                held.open(page, { atStart: before.length < PAGE, atEnd: after.length < PAGE, rev: room.rev })];
        });
    }

    async loadBefore(key) {
        const timeline = this.store.timeline(key);
        let isMoved = true;
        // Live messages may push the oldest ones out of a long window while the page is read. It would leave a hole then.
        for (let tries = 3; isMoved && tries && !timeline.atStart; tries -= 1) {
            const { oldest } = timeline;
            isMoved = false;
            await this.#load(key, timeline.rev, async () => {
                const messages = await this.routes.history(this.#room(key), { before: oldest, limit: PAGE });
                return [messages, (held, page) => {
                    isMoved = held.oldest !== oldest;
                    if (!isMoved) held.prepend(page, messages.length < PAGE, LONGEST);
                }];
            });
        }
    }

    async loadAfter(key) {
        const timeline = this.store.timeline(key);
        if (timeline.atEnd) return;
        await this.#load(key, timeline.rev, async () => {
            const messages = await this.routes.history(this.#room(key), { after: timeline.newest, limit: PAGE });
            return [messages, (held, page) => held.append(page, messages.length < PAGE, LONGEST)];
        });
    }

    async openThread(key, root) {
        const room = this.#room(key);
        const place = `${key}/${root}`;
        const timeline = this.store.timeline(place);
        for (let heard = -1; heard !== timeline.heard; ) {
            heard = timeline.heard;
            const reply = await this.routes.thread(room, root);
            const all = [reply.root, ...reply.items];
            for (let next = reply.next; next; ) {
                const page = await this.routes.thread(room, root, next);
                all.push(...page.items);
                next = page.next;
            }
            // The thread may have been closed meanwhile.
            if (this.store.timelines.get(place) !== timeline) break;
            this.store.page(place, all, (held, page) => held.open(page, { atStart: true, atEnd: true }));
        }
        return timeline;
    }

    /** A view of a room or a thread is gone. The newest messages of a room stay; a thread is read anew by its next view. */
    close(key, root) {
        if (root === undefined) this.store.timelines.get(key)?.trim(KEPT);
        else this.store.timelines.delete(`${key}/${root}`);
    }

    /** Loads how far the members of a room have read; a large room does not list single members. */
    async loadReaders(key) {
        const readers = await this.routes.readers(this.#room(key));
        // An event may have overtaken the reply, and a marker moves forward only.
        const held = this.store.readers.get(key) ?? new Map();
        const markers = readers.filter((each) => each.user_id).map(({ user_id, seq }) => [String(user_id), seq]);
        this.store.readers.set(key, new Map(markers.map(([user, seq]) => [user, Math.max(seq, held.get(user) ?? 0)])));
        this.store.emit('readers', key);
    }

    /** Brings a loaded timeline up to date: newer messages, with the replies of threads, then changes of the held ones. */
    async sync(key) {
        const timeline = this.store.timelines.get(key);
        const room = this.store.rooms.get(key);
        if (!room || !timeline?.loaded) return;
        timeline.isBehind = true;
        const turn = (timeline.catchUps += 1);
        while (timeline.atEnd) {
            const page = await this.routes.history(room, { after: timeline.head, limit: 200, threads: 'inline' });
            for (const each of page) this.store.take(key, each, { live: true });
            timeline.head = Math.max(timeline.head, page.at(-1)?.seq ?? 0);
            if (page.length < 200) break;
        }
        for (;;) {
            const { items, rev, complete } = await this.routes.changes(room, timeline.rev);
            for (const each of items) this.store.take(key, each);
            timeline.rev = Math.max(timeline.rev, items.at(-1)?.rev ?? 0, complete ? rev : 0);
            if (complete || !items.length) break;
        }
        if (timeline.catchUps === turn) timeline.isBehind = false;
    }

    /** Brings a timeline up to date that the live connection did not resume, once a page of it that is being read has come. */
    async resume(key) {
        this.store.timeline(key).heard += 1;
        await this.sync(key);
    }

    /** Fills a gap that the live connection has reported. Beyond a thousand messages the room and its open threads begin anew at the end. */
    async fill({ room, from, to }) {
        if (!(to - from > 1000 && this.store.timelines.get(room)?.atEnd)) return this.sync(room);
        // An end that cannot be read now is still missing, whatever an earlier catching up says.
        const timeline = this.store.timeline(room);
        timeline.isBehind = true;
        timeline.catchUps += 1;
        await this.openAtEnd(room);
        // A jump to a held message drops the page.
        if (timeline.isBehind) await this.sync(room);
        const threads = [...this.store.timelines].filter(([place, { loaded }]) => loaded && place.startsWith(`${room}/`));
        await Promise.all(threads.map(([place]) => this.openThread(room, Number(place.slice(room.length + 1)))));
    }

    /**
     * Loads a page of a room. A message or change that came while it was read may be missing in it, so what the room has since
     * `rev` is read after it. A page of a room that was left, or of a place that another one has replaced, is dropped.
     */
    async #load(key, rev, read) {
        const timeline = this.store.timeline(key);
        const { heard, turn } = timeline;
        const [messages, apply] = await read();
        if (timeline.turn !== turn || this.store.timelines.get(key) !== timeline) return timeline;
        this.store.page(key, messages, apply);
        if (timeline.heard === heard || this.#isCurrent(key, rev)) return timeline;
        timeline.rev = Math.min(timeline.rev, rev);
        await this.sync(key);
        return timeline;
    }

    /** True if nothing is known of the room that its timeline does not hold, where its changes are held up to `rev`. */
    #isCurrent(key, rev) {
        const timeline = this.store.timeline(key);
        const room = this.#room(key);
        return timeline.atEnd && room.lastSeq <= timeline.head && room.rev <= rev;
    }

    #room(key) {
        const room = this.store.rooms.get(key);
        if (!room) throw new Error(`There is no room ${key}.`);
        return room;
    }
}
