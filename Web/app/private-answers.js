import { Emitter } from '../maru/emitter.js';

const MOST = 20;

/**
 * The commands of this page with their private answers, by the place of a composer. The server stores no private answer, so they last
 * until the page is left. Emits `changed` with a place.
 */
export class PrivateAnswers extends Emitter {
    #rows = new Map();
    #count = 0;

    /** Takes the answers that come later by the socket. */
    follow(client) {
        client.on('event', ({ name, data }) => name === 'commandAnswer' && this.take(data));
        client.session.on('changed', () => this.#rows.clear());
    }

    /** @returns {{key: number, state: 'running'|'waiting'|'answered'|'failed', command: string, run?: string, answer?: object, error?: Error}[]} */
    of(place) {
        return this.#rows.get(place) ?? [];
    }

    begin(place, command, text = '') {
        const row = { key: (this.#count += 1), state: 'running', command, text };
        this.#rows.set(place, [...this.of(place), row].slice(-MOST));
        this.emit('changed', place);
        return row;
    }

    /** The reply to a command. An answer by the socket may have come before it. */
    end(place, row, { run_id, answer, message }) {
        if (message || this.of(place).some((each) => each.run === run_id)) return this.remove(place, row.key);
        this.#replace(place, row.key, { ...row, run: run_id, state: answer ? 'answered' : 'waiting', answer });
    }

    fail(place, row, error) {
        this.#replace(place, row.key, { ...row, state: 'failed', error });
    }

    take(answer) {
        const place = answer.thread === undefined ? answer.room : `${answer.room}/${answer.thread}`;
        const known = this.of(place).find((each) => each.run === answer.run_id) ?? this.begin(place, answer.command);
        this.#replace(place, known.key, { ...known, run: answer.run_id, state: 'answered', answer });
    }

    remove(place, key) {
        this.#rows.set(place, this.of(place).filter((each) => each.key !== key));
        this.emit('changed', place);
    }

    #replace(place, key, row) {
        this.#rows.set(place, this.of(place).map((each) => (each.key === key ? row : each)));
        this.emit('changed', place);
    }
}

export const privateAnswers = new PrivateAnswers();
