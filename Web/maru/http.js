import { MaruError } from './errors.js';

/** The longest silence of a connection, in milliseconds, before a call is given up that may be made again. */
const SILENCE = 30_000;
/** That of other calls: the gateway answers for a silent service after a minute. */
const LONG_SILENCE = 65_000;

/**
 * Calls of the HTTP API. An expired access token is renewed once and the call repeated; a GET that the server asked to wait is
 * repeated after that time. Everything else rejects with a MaruError. A call whose connection is silent for too long ends as one without a
 * network does; as long as something is sent or arrives it continues.
 */
export class Api {
    #reads = new Set();

    /**
     * @param {object} options
     * @param {string} options.base the origin, such as https://chat.example.com
     * @param {string} options.key the API key
     * @param {import('./session.js').Session} options.session
     */
    constructor({ base, key, session, fetch = globalThis.fetch.bind(globalThis), XHR = globalThis.XMLHttpRequest, wait = sleep, later = alarm }) {
        this.base = base;
        this.key = key;
        this.session = session;
        this.fetch = fetch;
        this.XHR = XHR;
        this.wait = wait;
        this.later = later;
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

    /** Cancels all reads that have no reply yet; they reject with an `AbortError`. Writes continue. */
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
     * @param {boolean} [options.isRepeatable] whether the call may be made again if its reply is lost, as each GET may
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
                } else if (method === 'GET' && error.isTemporary && !error.isLate && attempt < 3 && error.retryAfter <= 5) {
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
            return await this.#once('GET', path, token, { ...options, signal: read.signal, isRepeatable: true });
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
        const isForm = Boolean(globalThis.FormData && body instanceof FormData);
        if (body !== undefined && !isForm) {
            headers['Content-Type'] = 'application/json';
            body = JSON.stringify(body);
        }
        // Browsers refuse bodies above 64 KiB then.
        const keepalive = options.outlives === true && body.length < 20_000;
        const request = { method, headers, body, keepalive, signal: options.signal };
        if ((isForm || options.progress) && this.XHR) return this.#upload(url, request, options.progress);
        // Without XMLHttpRequest, the progress of an upload is unknown.
        return this.#fetch(url, request, isForm ? Infinity : options.isRepeatable ? SILENCE : LONG_SILENCE);
    }

    async #fetch(url, { signal, ...request }, silence) {
        const end = new AbortController();
        const abort = () => end.abort();
        if (signal?.aborted) abort();
        signal?.addEventListener('abort', abort);
        const timer = new SilenceTimer(this.later, silence, abort);
        let reply, text;
        try {
            reply = await this.fetch(url, { ...request, signal: end.signal, credentials: 'same-origin', cache: 'no-store' });
            text = await textOf(reply, () => timer.renew());
        } catch (error) {
            if (timer.isOver) throw MaruError.late();
            throw error.name === 'AbortError' ? error : MaruError.offline(error);
        } finally {
            timer.end();
            signal?.removeEventListener('abort', abort);
        }
        return read(reply.status, text, reply.headers.get('Retry-After'));
    }

    /** Only XMLHttpRequest reports how much of a body has been sent. */
    #upload(url, { method, headers, body, signal }, progress) {
        const cancelled = () => new DOMException('The upload was cancelled.', 'AbortError');
        let timer;
        return new Promise((resolve, reject) => {
            // A request reports its end only once it has been sent.
            if (signal?.aborted) return reject(cancelled());
            const request = new this.XHR();
            request.open(method, url);
            for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
            timer = new SilenceTimer(this.later, LONG_SILENCE, () => request.abort());
            request.onprogress = () => timer.renew();
            request.upload.onprogress = (event) => {
                timer.renew();
                if (event.lengthComputable) progress?.(event.loaded / event.total);
            };
            request.onload = () => {
                try {
                    resolve(read(request.status, request.responseText, request.getResponseHeader('Retry-After')));
                } catch (error) {
                    reject(error);
                }
            };
            request.onerror = () => reject(MaruError.offline());
            request.onabort = () => reject(timer.isOver ? MaruError.late() : cancelled());
            signal?.addEventListener('abort', () => request.abort());
            request.send(body);
        }).finally(() => timer?.end());
    }
}

/** Ends a call that has been silent for too long. */
class SilenceTimer {
    isOver = false;
    #cancel = () => {};

    constructor(later, silence, end) {
        Object.assign(this, { later, silence, over: end });
        this.renew();
    }

    /** Something was sent or has arrived. */
    renew() {
        this.#cancel();
        if (this.silence === Infinity) return;
        this.#cancel = this.later(() => {
            this.isOver = true;
            this.over();
        }, this.silence);
    }

    end() {
        this.#cancel();
    }
}

/** Reads a body, and reports each part of it. */
async function textOf(reply, heard) {
    if (!reply.body) return reply.text();
    const decoder = new TextDecoder();
    let text = '';
    for (const reader = reply.body.getReader(); ; ) {
        const { done, value } = await reader.read();
        if (done) return text + decoder.decode();
        heard();
        text += decoder.decode(value, { stream: true });
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

/** Calls `work` later; returns a function that cancels it. */
function alarm(work, milliseconds) {
    const timer = setTimeout(work, milliseconds);
    return () => clearTimeout(timer);
}

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
