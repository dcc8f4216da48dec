const MOST = 500;
const TELL_AFTER = 100;
const AGAIN_AFTER = 3000;

/**
 * The people whose presence this device receives: all that the parts of an interface show. While the live connection is
 * down nothing is known, so the store forgets their presence.
 */
export class Watch {
    #wanted = new Map();
    #told = '';
    #timer = null;

    constructor(live, store) {
        this.live = live;
        this.store = store;
        live.on('state', ({ state }) => (state === 'live' ? this.#tell() : this.#lost()));
    }

    /** Replaces the users that a part shows; none ends its interest. */
    set(part, users) {
        if (users.length) this.#wanted.set(part, users.map(String));
        else this.#wanted.delete(part);
        this.#later(TELL_AFTER);
    }

    #later(milliseconds) {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#tell(), milliseconds);
    }

    async #tell() {
        clearTimeout(this.#timer);
        const users = [...new Set([...this.#wanted.values()].flat())].slice(0, MOST).sort();
        const text = users.join();
        if (this.live.state !== 'live' || text === this.#told) return;
        this.#told = text;
        try {
            await this.live.request('presence', { users });
        } catch {
            this.#told = '';
            if (this.live.state === 'live') this.#later(AGAIN_AFTER);
        }
    }

    #lost() {
        clearTimeout(this.#timer);
        this.#told = '';
        this.store.forgetPresence();
    }
}
