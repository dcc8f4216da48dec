/**
 * Stores drafts. A draft is in the store at once, and the earlier one comes back if the server does not take it. The texts of one place are
 * sent one after the other, so the newest is stored last.
 *
 * The server sends drafts to other devices only, and a list of rooms that was asked for before the end of a write may not know it yet, even
 * if the list arrives later. So each list names the moment at which it was asked for, and `newer` puts the later texts into it.
 */
export class Drafts {
    /** The last write of each place. */
    #writes = new Map();
    /** The number of writes that have ended. */
    #ended = 0;

    constructor(routes, store) {
        this.routes = routes;
        this.store = store;
    }

    /** The moment, for a list of rooms that is about to be asked for. */
    get moment() {
        return this.#ended;
    }

    /** The text that waits in a room, or in a thread of it. */
    text(key, thread) {
        const room = this.store.rooms.get(key);
        const draft = thread === undefined ? room?.draft : room?.threadDrafts.find((each) => each.thread === thread);
        return draft?.content ?? '';
    }

    /** Stores a text; `''` removes the draft. Resolves when the newest text of this place is stored. */
    save(key, content, thread) {
        const place = thread === undefined ? key : `${key}/${thread}`;
        let write = this.#writes.get(place);
        if (!write || write.endedAt < Infinity) {
            const before = this.text(key, thread);
            if (content === before) return Promise.resolve();
            write = { key, thread, content, stored: before, endedAt: Infinity };
            this.#writes.set(place, write);
            write.done = this.#send(write, place, this.store.rooms.get(key));
        }
        write.content = content;
        this.#show(write);
        return write.done;
    }

    /** A room of a list, with the drafts that were written here after the list was asked for. */
    newer(room, moment) {
        for (const write of this.#writes.values()) {
            if (write.key === room.key && write.endedAt > moment) room = { ...room, ...changed(room, write) };
        }
        return room;
    }

    clear() {
        this.#writes.clear();
    }

    async #send(write, place, room) {
        try {
            for (let sent; sent !== write.content; write.stored = sent) {
                sent = write.content;
                await this.routes.draft(room, sent, write.thread);
            }
            write.endedAt = ++this.#ended;
        } catch (error) {
            write.content = write.stored;
            if (this.#writes.get(place) === write) {
                this.#writes.delete(place);
                this.#show(write);
            }
            throw error;
        }
    }

    #show(write) {
        const room = this.store.rooms.get(write.key);
        if (room) this.store.update(write.key, changed(room, write));
    }
}

/** The changes of a room by a draft. */
function changed(room, { thread, content }) {
    if (thread === undefined) return { draft: content ? { content } : null };
    const others = room.threadDrafts.filter((each) => each.thread !== thread);
    return { threadDrafts: content ? [...others, { thread, content }] : others };
}
