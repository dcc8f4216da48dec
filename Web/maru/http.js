import { MaruError } from './errors.js';

/**
 * Calls of the HTTP API. An expired access token is renewed once and the call repeated; a GET that the server asked to wait is
 * repeated after that time. Everything else rejects with a MaruError.
 */
export class Api {
    #reads = new Set();

    /**
     * @param {object} options
     * @param {string} options.base the origin, such as https://chat.example.com
     * @param {string} options.key the API key
     * @param {import('./session.js').Session} options.session
     */
    constructor({ base, key, session, fetch = globalThis.fetch.bind(globalThis), XHR = globalThis.XMLHttpRequest, wait = sleep }) {
        this.base = base;
        this.key = key;
        this.session = session;
        this.fetch = fetch;
        this.XHR = XHR;
        this.wait = wait;
    }

    get(path, query, options) {
        return this.call('GET', path, { query, ...options });
    }

    post(path, body, options) {
        return this.call('POST', path, { body, ...options });
    }

    put(path, body, options) {
        return this.call('PUT', path, { body, ...options });
    }

    delete(path, body) {
        return this.call('DELETE', path, { body });
    }

    /** Cancels all reads that have no reply yet; they reject with an `AbortError`. Writes go on. */
    endReads() {
        for (const each of this.#reads) each.abort();
    }

    /**
     * @param {object} [options]
     * @param {object} [options.query] members that are null or undefined are left out
     * @param {object|FormData} [options.body] sent as JSON, or as a form
     * @param {AbortSignal} [options.signal]
     * @param {(share: number) => void} [options.progress] called with the share of the body that was sent
     * @param {boolean} [options.open] true for routes that need no token
     * @param {boolean} [options.outlives] whether the call is made although its page is being closed
     * @param {object} [options.headers]
     */
    async call(method, path, options = {}) {
        let renewed = false;
        for (let attempt = 1; ; attempt += 1) {
            const token = options.open ? null : await this.session.token();
            try {
                return await (method === 'GET' ? this.#read(path, token, options) : this.#once(method, path, token, options));
            } catch (error) {
                if (options.signal?.aborted || error.name === 'AbortError') throw error;
                if (error.code === 'E05' && !options.open && !renewed) {
                    renewed = true;
                    await this.session.renew(token);
                } else if (method === 'GET' && error.isTemporary && attempt < 3 && error.retryAfter <= 5) {
                    await this.wait(error.retryAfter * 1000 || 300 * attempt);
                } else {
                    throw error;
                }
            }
        }
    }

    async #read(path, token, options) {
        const read = new AbortController();
        const abort = () => read.abort();
        if (options.signal?.aborted) abort();
        options.signal?.addEventListener('abort', abort);
        this.#reads.add(read);
        try {
            return await this.#once('GET', path, token, { ...options, signal: read.signal });
        } finally {
            this.#reads.delete(read);
            options.signal?.removeEventListener('abort', abort);
        }
    }

    #once(method, path, token, options) {
        const url = new URL(`/v1${path}`, this.base);
        for (const [name, value] of Object.entries(options.query ?? {})) {
            if (value !== null && value !== undefined && value !== '') url.searchParams.set(name, value);
        }
        const headers = { SesacKey: this.key, ...options.headers };
        if (token) headers.Authorization = token;
        let body = options.body;
        if (body !== undefined && !(globalThis.FormData && body instanceof FormData)) {
            headers['Content-Type'] = 'application/json';
            body = JSON.stringify(body);
        }
        // Browsers refuse bodies above 64 KiB then.
        const keepalive = options.outlives === true && body.length < 20_000;
        const request = { method, headers, body, keepalive, signal: options.signal };
        return options.progress && this.XHR ? this.#upload(url, request, options.progress) : this.#fetch(url, request);
    }

    async #fetch(url, request) {
        let reply, text;
        try {
            reply = await this.fetch(url, { ...request, credentials: 'same-origin', cache: 'no-store' });
            text = await reply.text();
        } catch (error) {
            throw error.name === 'AbortError' ? error : MaruError.offline(error);
        }
        return read(reply.status, text, reply.headers.get('Retry-After'));
    }

    /** Only XMLHttpRequest tells how much of a body has been sent. */
    #upload(url, { method, headers, body, signal }, progress) {
        const cancelled = () => new DOMException('The upload was cancelled.', 'AbortError');
        return new Promise((resolve, reject) => {
            // Before it is sent, a request tells nothing of its end.
            if (signal?.aborted) return reject(cancelled());
            const request = new this.XHR();
            request.open(method, url);
            for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
            request.upload.onprogress = (event) => event.lengthComputable && progress(event.loaded / event.total);
            request.onload = () => {
                try {
                    resolve(read(request.status, request.responseText, request.getResponseHeader('Retry-After')));
                } catch (error) {
                    reject(error);
                }
            };
            request.onerror = () => reject(MaruError.offline());
            request.onabort = () => reject(cancelled());
            signal?.addEventListener('abort', () => request.abort());
            request.send(body);
        });
    }
}

/** Returns the body of a success and throws the error of a failure. */
function read(status, text, retryAfter) {
    let body = null;
    try {
        body = text ? JSON.parse(text) : null;
    } catch {
        // A proxy in between may answer with a page.
    }
    if (status >= 200 && status < 300) return body;
    const detail = body?.detail ?? '';
    throw new MaruError(body?.errorCode ?? 'E99', { status, detail, retryAfter: Number(retryAfter) || 0, body });
}

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
