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

/** The best storage that works here. A browser in private mode may refuse IndexedDB. */
export async function openStorage(name) {
    if (!globalThis.indexedDB) return new MemoryStorage();
    const storage = new BrowserStorage(name);
    try {
        await storage.get('');
        return storage;
    } catch {
        return new MemoryStorage();
    }
}
