import { Backoff } from './backoff.js';
import { Emitter } from './emitter.js';

/**
 * Whether all files can still be read. A browser reports a file that was changed or deleted since it was chosen like a lost network,
 * and the message would be tried for ever, with all later ones of its room waiting.
 */
const isReadable = (files) => Promise.all(files.map((each) => each.slice?.(0, 1).arrayBuffer())).then(() => true, () => false);

/**
 * Messages that the server has not acknowledged. They are stored before they are sent, so a reload or a lost network loses none,
 * and each carries a `client_id`, so that a message sent twice is one message. Messages of one room leave in order.
 *
 * Emits `changed` with the key of a room, `sent` with `{entry, message}`, and `unreachable` after a try without a reply.
 */
export class Outbox extends Emitter {
    #entries = new Map();
    #lanes = new Map();
    #waits = new Set();
    #user = null;

    /**
     * @param {object} options
     * @param {object} options.storage
     * @param {(entry: object, options: object) => Promise<object>} options.send sends an entry and returns the message
     */
    constructor({ storage, send, now = () => Date.now(), id = () => crypto.randomUUID(), backoff = () => new Backoff({ longest: 15_000 }) }) {
        super();
        Object.assign(this, { storage, send, now, id, backoff });
    }

    /** Takes up what an earlier visit of this user left. */
    async open(user) {
        this.#user = user;
        const kept = await this.storage.all(this.#prefix);
        // The user may have signed out meanwhile, and another one signed in.
        if (this.#user !== user) return;
        for (const entry of kept) {
            this.#entries.set(entry.id, { ...entry, state: entry.state === 'failed' ? 'failed' : 'waiting', progress: 0, isStored: true });
            this.emit('changed', entry.room);
        }
        this.flush();
    }

    close() {
        this.#user = null;
        for (const entry of this.#entries.values()) entry.abort?.abort();
        this.#entries.clear();
        this.wake();
    }

    /** The entries of a room, oldest first; of a thread if `thread` is given. */
    of(room, thread) {
        return [...this.#entries.values()]
            .filter((each) => each.room === room && (thread === undefined ? !each.thread || each.toRoom : each.thread === thread))
            .sort((one, other) => one.at - other.at);
    }

    get isEmpty() {
        return this.#entries.size === 0;
    }

    /**
     * Adds a message. The promise resolves when it is stored; it is sent in the background.
     * @param {{room: string, workspace: string, content: string, files?: File[], thread?: number, toRoom?: boolean}} message
     */
    async add({ room, workspace, content, files = [], thread, toRoom }) {
        const last = [...this.#entries.values()].reduce((latest, each) => Math.max(latest, each.at), 0);
        const entry = { id: this.id(), room, workspace, content, files, thread, toRoom, at: Math.max(this.now(), last + 1), state: 'waiting' };
        this.#entries.set(entry.id, entry);
        this.emit('changed', room);
        await this.#store(entry);
        this.flush();
        return entry;
    }

    /** Sends a failed entry again. */
    async retry(id) {
        const entry = this.#entries.get(id);
        if (entry?.state !== 'failed') return;
        this.#set(entry, { state: 'waiting', error: undefined });
        await this.#store(entry);
        this.flush();
    }

    /** Gives up an entry. A message that is on its way may arrive all the same. */
    async remove(id) {
        const entry = this.#entries.get(id);
        if (!entry) return;
        this.#drop(entry);
        entry.abort?.abort();
        await this.storage.remove(this.#key(entry));
    }

    /** Ends all waits, as after the network came back. */
    wake() {
        for (const end of [...this.#waits]) end();
    }

    /** Starts one sender for each room with waiting entries. */
    flush() {
        for (const { room, state } of this.#entries.values()) {
            if (state === 'waiting' && !this.#lanes.has(room)) {
                this.#lanes.set(room, this.#drain(room).finally(() => {
                    this.#lanes.delete(room);
                    if (this.#next(room)) this.flush();
                }));
            }
        }
    }

    #next(room) {
        return [...this.#entries.values()]
            .filter((each) => each.room === room && each.state === 'waiting')
            .sort((one, other) => one.at - other.at)[0];
    }

    async #drain(room) {
        const backoff = this.backoff();
        for (let entry; (entry = this.#next(room)); ) {
            try {
                entry.abort = new AbortController();
                this.#set(entry, { state: 'sending' });
                // Another tab may have sent or discarded it.
                if (entry.isStored && !(await this.storage.get(this.#key(entry)).catch(() => entry))) this.#drop(entry);
                if (!this.#entries.has(entry.id)) continue;
                const message = await this.send(entry, {
                    signal: entry.abort.signal,
                    progress: (share) => this.#set(entry, { progress: share }),
                });
                if (!this.#entries.has(entry.id)) continue;
                this.emit('sent', { entry, message });
                await this.remove(entry.id);
                backoff.reset();
            } catch (error) {
                if (!this.#entries.has(entry.id)) continue;
                const files = error.isOffline ? await this.#readable(entry) : entry.files;
                if (!this.#entries.has(entry.id)) continue;
                entry.files = files ?? entry.files;
                if (!files) {
                    this.#set(entry, { state: 'failed', error: { code: 'file' } });
                    await this.#store(entry);
                } else if (error.isTemporary) {
                    if (error.isOffline) this.emit('unreachable');
                    this.#set(entry, { state: 'waiting', progress: 0 });
                    await this.#wait(Math.max(error.retryAfter * 1000, backoff.next()));
                } else if (error.code === 'E02' || error.code === 'E05' || error.code === 'E06') {
                    // The session ended, as a rule, and the entry waits for the next sign-in of its user.
                    this.#set(entry, { state: 'waiting' });
                    await this.#wait(backoff.next());
                } else {
                    this.#set(entry, { state: 'failed', error: { code: error.code, detail: error.detail } });
                    await this.#store(entry);
                }
            }
        }
    }

    /** The files of an entry, or their copies in the storage; null if neither can be read. */
    async #readable(entry) {
        if (await isReadable(entry.files)) return entry.files;
        const kept = await this.storage.get(this.#key(entry)).catch(() => null);
        return kept && (await isReadable(kept.files)) ? kept.files : null;
    }

    #wait(milliseconds) {
        return new Promise((resolve) => {
            const end = () => {
                clearTimeout(timer);
                this.#waits.delete(end);
                resolve();
            };
            const timer = setTimeout(end, milliseconds);
            this.#waits.add(end);
        });
    }

    #drop(entry) {
        this.#entries.delete(entry.id);
        this.emit('changed', entry.room);
    }

    #set(entry, changes) {
        if (!this.#entries.has(entry.id)) return;
        Object.assign(entry, changes);
        this.emit('changed', entry.room);
    }

    async #store(entry) {
        const { id, room, workspace, content, files, thread, toRoom, at, state, error } = entry;
        try {
            await this.storage.set(this.#key(entry), { id, room, workspace, content, files, thread, toRoom, at, state, error });
        } catch {
            // A storage that is full keeps no message from being sent.
            return;
        }
        entry.isStored = true;
        // The entry may have been removed while it was written.
        if (!this.#entries.has(id)) await this.storage.remove(this.#key(entry));
    }

    get #prefix() {
        return `outbox/${this.#user}/`;
    }

    #key(entry) {
        return `${this.#prefix}${String(entry.at).padStart(15, '0')}-${entry.id}`;
    }
}
