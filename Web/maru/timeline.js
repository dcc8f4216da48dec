/** The longest window that grows by live messages. */
const LONGEST_LIVE = 1000;

/**
 * The messages of a room, or of a thread, that this device holds: one window without a hole.
 *
 * A window that is not `atEnd`, as after a jump to an old message, takes no live messages; it is extended page by page.
 */
export class Timeline {
    /** In the order of `seq`. */
    messages = [];
    /** True if the first message of the room is held. */
    atStart = false;
    /** True if nothing newer exists as far as known. */
    atEnd = false;
    /** False until the first page arrived. */
    loaded = false;
    /** The seq up to which no message is missing, and the revision up to which no change is; single replies do not move them. */
    head = 0;
    rev = 0;
    /** True while something is missing that events after it do not bring. */
    isBehind = false;
    /** How often it began to catch up. Only the last time may say that nothing is missing. */
    catchUps = 0;
    /** How many messages and changes came one by one; a page that was read meanwhile may lack them. */
    heard = 0;
    /** The number of the last opening of a place; a page that was asked for before it does not fit any more. */
    turn = 0;

    get newest() {
        return this.messages.at(-1)?.seq ?? 0;
    }

    get oldest() {
        return this.messages[0]?.seq ?? 0;
    }

    /** Replaces the window. */
    open(messages, { atStart, atEnd, rev = this.rev }) {
        this.messages = sorted(messages);
        Object.assign(this, { atStart, atEnd, rev, head: this.newest, isBehind: false, loaded: true });
    }

    /** Adds a page of older messages. Beyond `longest`, the newest are let go, so that a long history stays cheap. */
    prepend(messages, atStart, longest = Infinity) {
        const oldest = this.oldest || Infinity;
        this.messages = [...sorted(messages).filter((each) => each.seq < oldest), ...this.messages];
        this.atStart = atStart;
        if (this.messages.length <= longest) return;
        this.messages = this.messages.slice(0, longest);
        this.atEnd = false;
    }

    /** Adds a page of newer messages. Beyond `longest`, the oldest are let go. */
    append(messages, atEnd, longest = Infinity) {
        const newest = this.newest;
        this.messages = [...this.messages, ...sorted(messages).filter((each) => each.seq > newest)];
        this.atEnd = atEnd;
        this.head = this.newest;
        this.trim(longest);
    }

    /** A message (`seq`) or a change (`rev`) came in the order of its room, so that everything before it is held. */
    follow({ seq = 0, rev = 0 }) {
        if (this.isBehind) return;
        this.head = Math.max(this.head, seq);
        this.rev = Math.max(this.rev, rev);
    }

    get(seq) {
        return this.messages[this.#place(seq)]?.seq === seq ? this.messages[this.#place(seq)] : undefined;
    }

    /**
     * Takes a message as it is now: a new one, or one that changed. An older revision than the held one is ignored.
     * @returns {'added'|'changed'|'ignored'}
     */
    take(message) {
        this.heard += 1;
        const place = this.#place(message.seq);
        const held = this.messages[place];
        if (held?.seq === message.seq) {
            if ((message.rev ?? 0) < (held.rev ?? 0)) return 'ignored';
            this.messages = this.messages.with?.(place, message) ?? replaced(this.messages, place, message);
            return 'changed';
        }
        if (!this.loaded || !this.atEnd || (place === 0 && !this.atStart && this.messages.length)) return 'ignored';
        this.messages = [...this.messages.slice(0, place), message, ...this.messages.slice(place)];
        this.trim(LONGEST_LIVE);
        return 'added';
    }

    /** Forgets the oldest messages beyond a number, so that a room that is open for days stays small. */
    trim(longest) {
        if (this.messages.length <= longest) return;
        this.messages = this.messages.slice(-longest);
        this.atStart = false;
    }

    /** The place of the first message with this or a higher seq. */
    #place(seq) {
        let low = 0, high = this.messages.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this.messages[middle].seq < seq) low = middle + 1;
            else high = middle;
        }
        return low;
    }
}

const sorted = (messages) => [...messages].sort((one, other) => one.seq - other.seq);

function replaced(messages, place, message) {
    const copy = [...messages];
    copy[place] = message;
    return copy;
}
