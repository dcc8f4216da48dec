/** Key-value storage for an account's own data on this device: in memory, or in IndexedDB, which also takes files. */
export class MemoryStorage {
    #values = new Map();

    async get(key) {
        return this.#values.get(key);
    }

    async set(key, value) {
        this.#values.set(key, value);
    }

    async remove(key) {
        this.#values.delete(key);
    }

    /** Returns all values whose key begins with a prefix, in the order of their keys. */
    async all(prefix) {
        return [...this.#values].filter(([key]) => key.startsWith(prefix)).sort().map(([, value]) => value);
    }

    async clear() {
        this.#values.clear();
    }
}

/** IndexedDB. Every write is durable before its promise resolves. */
export class BrowserStorage {
    #opening = null;

    constructor(name = 'maru') {
        this.name = name;
    }

    get(key) {
        return this.#run('readonly', (values) => values.get(key));
    }

    set(key, value) {
        return this.#run('readwrite', (values) => values.put(value, key));
    }

    remove(key) {
        return this.#run('readwrite', (values) => values.delete(key));
    }

    all(prefix) {
        return this.#run('readonly', (values) => values.getAll(IDBKeyRange.bound(prefix, `${prefix}\uffff`)));
    }

    clear() {
        return this.#run('readwrite', (values) => values.clear());
    }

    /** A browser may close the database of a page that is open for long. It is opened again then. */
    async #run(mode, work) {
        for (let isLast = false; ; isLast = true) {
            const opening = (this.#opening ??= this.#open());
            try {
                return await perform((await opening).transaction('values', mode, { durability: 'strict' }), work);
            } catch (error) {
                if (error?.name !== 'InvalidStateError' || isLast) throw error;
                if (this.#opening === opening) this.#opening = null;
            }
        }
    }

    #open() {
        return new Promise((resolve, reject) => {
            const request = indexedDB.open(this.name, 1);
            request.onupgradeneeded = () => request.result.createObjectStore('values');
            request.onsuccess = () => resolve(request.result);
            request.onerror = () => {
                this.#opening = null;
                reject(request.error);
            };
        });
    }
}

function perform(transaction, work) {
    return new Promise((resolve, reject) => {
        const request = work(transaction.objectStore('values'));
        transaction.oncomplete = () => resolve(request.result);
        transaction.onerror = transaction.onabort = () => reject(transaction.error);
    });
}

/**
 * For a browser that refuses IndexedDB, as some do in private mode. Texts are in its storage of texts, for later visits and the other
 * tabs. Everything else, such as messages with files, is in memory, and `all` returns nothing but that.
 */
class TextStorage extends MemoryStorage {
    constructor(name, texts) {
        super();
        this.name = name;
        this.texts = texts;
    }

    async get(key) {
        return this.texts.getItem(this.#place(key)) ?? super.get(key);
    }

    async set(key, value) {
        if (typeof value === 'string') this.texts.setItem(this.#place(key), value);
        else await super.set(key, value);
    }

    async remove(key) {
        this.texts.removeItem(this.#place(key));
        await super.remove(key);
    }

    async clear() {
        for (const place of Object.keys(this.texts)) if (place.startsWith(this.#place(''))) this.texts.removeItem(place);
        await super.clear();
    }

    #place(key) {
        return `${this.name}/${key}`;
    }
}

/**
 * The best storage that works here. A browser in private mode may refuse IndexedDB, and one without cookies refuses its storage of texts
 * too.
 * @param {object} [options]
 * @param {string} [options.name] of the database, and at the beginning of the keys of texts
 * @param {() => Storage} [options.texts] returns `localStorage`, or throws
 */
export async function openStorage({ name = 'maru', texts } = {}) {
    for (const make of [() => new BrowserStorage(name), () => new TextStorage(name, texts())]) {
        try {
            const storage = make();
            await storage.get('');
            return storage;
        } catch {
            // The next one may work.
        }
    }
    return new MemoryStorage();
}
