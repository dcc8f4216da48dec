/** Named events with listeners. A listener that throws does not keep others from being called. */
export class Emitter {
    #listeners = new Map();

    /** Adds a listener and returns a function that removes it. */
    on(name, listener) {
        const all = this.#listeners.get(name) ?? new Set();
        this.#listeners.set(name, all);
        all.add(listener);
        return () => all.delete(listener);
    }

    emit(name, value) {
        for (const listener of [...(this.#listeners.get(name) ?? [])]) {
            try {
                listener(value);
            } catch (error) {
                console.error(error);
            }
        }
    }

    /** Resolves with the value of the next event. */
    next(name) {
        return new Promise((resolve) => {
            const off = this.on(name, (value) => {
                off();
                resolve(value);
            });
        });
    }
}
