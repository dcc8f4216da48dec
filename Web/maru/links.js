const FEW_MINUTES = 5 * 60_000;

/**
 * Signed addresses of files, which an `<img>` loads without headers. Paths that are asked for together are looked up in one
 * call for each folder, and an address is kept until shortly before it ends.
 */
export class Links {
    #known = new Map();
    #asked = new Map();

    constructor(routes, base) {
        this.routes = routes;
        this.base = base;
    }

    /**
     * Resolves with the address of a path such as `/static/profiles/1.png`; null if the file may not be read.
     * @param {'small'|'medium'} [size] of a picture of a message that has previews
     */
    async get(path, size) {
        const address = await this.#address(path);
        return address && size ? `${address}&size=${size}` : address;
    }

    #address(path) {
        const known = this.#known.get(path);
        if (known && (!known.until || known.until - FEW_MINUTES > Date.now())) return known.promise;
        const promise = new Promise((resolve) => {
            if (!this.#asked.size) queueMicrotask(() => this.#ask());
            this.#asked.set(path, resolve);
        });
        this.#known.set(path, { promise });
        return promise;
    }

    clear() {
        this.#known.clear();
    }

    async #ask() {
        const asked = this.#asked;
        this.#asked = new Map();
        const folders = Map.groupBy?.([...asked.keys()], folderOf) ?? groups([...asked.keys()]);
        for (const [folder, paths] of folders) {
            for (let first = 0; first < paths.length; first += 100) this.#load(folder, paths.slice(first, first + 100), asked);
        }
    }

    async #load(folder, paths, asked) {
        let links = [];
        try {
            ({ links } = await this.routes.links(folder, paths));
        } catch {
            // Ask again the next time.
            for (const path of paths) this.#known.delete(path);
        }
        const found = new Map(links.map((each) => [each.path, each]));
        for (const path of paths) {
            const link = found.get(path);
            const known = this.#known.get(path);
            if (known && link) known.until = Date.parse(link.expiresAt);
            asked.get(path)(link ? new URL(`/v1${link.url}`, this.base).href : null);
        }
    }
}

const folderOf = (path) => path.split('/')[2];

function groups(paths) {
    const all = new Map();
    for (const path of paths) all.set(folderOf(path), [...(all.get(folderOf(path)) ?? []), path]);
    return all;
}
