/**
 * Waiting times between attempts: each bound is twice the one before, and a wait is random below it, so that many clients do
 * not return at the same moment.
 */
export class Backoff {
    #attempts = 0;

    /** @param {{first?: number, longest?: number, random?: () => number}} options times in milliseconds */
    constructor({ first = 500, longest = 30_000, random = Math.random } = {}) {
        this.first = first;
        this.longest = longest;
        this.random = random;
    }

    /** Returns the next wait in milliseconds, at least half of its bound. */
    next() {
        const bound = Math.min(this.longest, this.first * 2 ** this.#attempts);
        this.#attempts += 1;
        return Math.round(bound / 2 + (this.random() * bound) / 2);
    }

    reset() {
        this.#attempts = 0;
    }
}
