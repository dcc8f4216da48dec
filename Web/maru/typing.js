/** How long a typing event is valid, in milliseconds. */
export const TYPING_LASTS = 6000;

/** The people that are typing, by room. */
export class Typing {
    #rooms = new Map();

    constructor(now) {
        this.now = now;
    }

    began(room, user, thread) {
        const users = this.#rooms.get(room) ?? new Map();
        users.set(user, { until: this.now() + TYPING_LASTS, thread });
        this.#rooms.set(room, users);
    }

    /** Returns true if the user was typing. */
    ended(room, user) {
        return this.#rooms.get(room)?.delete(user) ?? false;
    }

    in(room, thread) {
        const now = this.now();
        return [...(this.#rooms.get(room) ?? [])].filter(([, entry]) => entry.until > now && entry.thread === thread).map(([user]) => user);
    }
}
