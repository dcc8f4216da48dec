import { Emitter } from './emitter.js';
import { decodeEngine, decodePayload, encodePayload, engine } from './packets.js';

/**
 * One connection of Engine.IO 4: WebSocket, or long polling if a WebSocket cannot be opened.
 *
 * Emits `open`, `message` (text) and `close` (a reason), each `close` once. A silent server is noticed after its ping interval
 * and time-out.
 */
export class EngineConnection extends Emitter {
    #state = 'opening';
    #silence = null;
    #patientUntil = Infinity;
    #socket = null;
    #polling = null;

    /**
     * @param {string} address such as https://example.com/socket.io/
     * @param {{transports?: string[], WebSocket?: any, fetch?: typeof fetch}} options
     */
    constructor(address, options = {}) {
        super();
        this.address = address;
        this.transports = options.transports ?? ['websocket', 'polling'];
        this.WebSocket = options.WebSocket ?? globalThis.WebSocket;
        this.fetch = options.fetch ?? globalThis.fetch.bind(globalThis);
        this.openWithin = options.openWithin ?? 10_000;
        /** The transport in use. */
        this.transport = null;
    }

    connect() {
        const [first, ...others] = this.WebSocket ? this.transports : this.transports.filter((each) => each === 'polling');
        this.#try(first, others);
    }

    send(text) {
        if (this.#state === 'open') this.#write(engine.message + text);
    }

    close(reason = 'closed by the client') {
        if (this.#state === 'closed') return;
        if (this.#state === 'open') this.#write(engine.close);
        this.#end(reason);
    }

    /** True if the server has been silent for too long by the clock. */
    get isOverdue() {
        return Date.now() > this.#patientUntil;
    }

    #try(transport, others) {
        this.transport = transport;
        this.#expect(this.openWithin);
        const failed = (reason) => {
            if (this.#state === 'closed') return;
            if (this.#state === 'open' || !others.length) return this.#end(reason);
            this.#try(others[0], others.slice(1));
        };
        if (transport === 'websocket') this.#openSocket(failed);
        else this.#openPolling(failed);
    }

    #url(transport, sid) {
        const url = new URL(this.address);
        url.search = new URLSearchParams({ EIO: '4', transport, ...(sid ? { sid } : {}) });
        if (transport === 'websocket') url.protocol = url.protocol.replace('http', 'ws');
        return url;
    }

    #openSocket(failed) {
        const socket = new this.WebSocket(this.#url('websocket'));
        this.#socket = socket;
        socket.onmessage = ({ data }) => typeof data === 'string' && socket === this.#socket && this.#receive(decodeEngine(data));
        socket.onclose = () => {
            if (socket !== this.#socket) return;
            this.#socket = null;
            failed('the WebSocket closed');
        };
    }

    #openPolling(failed) {
        const abort = new AbortController();
        this.#polling = { sid: null, queue: [], posting: false, abort, failed };
        this.#poll().catch((error) => failed(error.message));
    }

    async #poll() {
        const polling = this.#polling;
        while (polling === this.#polling && this.#state !== 'closed') {
            const reply = await this.fetch(this.#url('polling', polling.sid), {
                signal: polling.abort.signal,
                credentials: 'same-origin',
                cache: 'no-store',
            });
            if (!reply.ok) throw new Error(`the poll was answered with ${reply.status}`);
            for (const packet of decodePayload(await reply.text())) this.#receive(packet);
        }
    }

    #write(packet) {
        // A socket that is closing takes nothing more; its end follows in a moment.
        if (this.#socket) this.#socket.readyState === 1 && this.#socket.send(packet);
        else if (this.#polling) {
            this.#polling.queue.push(packet);
            this.#post().catch((error) => this.#end(error.message));
        }
    }

    async #post() {
        const polling = this.#polling;
        if (polling.posting) return;
        polling.posting = true;
        while (polling.queue.length) {
            const body = encodePayload(polling.queue.splice(0));
            const reply = await this.fetch(this.#url('polling', polling.sid), {
                method: 'POST',
                body,
                headers: { 'Content-Type': 'text/plain;charset=UTF-8' },
                credentials: 'same-origin',
            });
            if (!reply.ok) throw new Error(`the post was answered with ${reply.status}`);
        }
        polling.posting = false;
    }

    #receive({ type, data }) {
        if (this.#state === 'closed') return;
        if (type === engine.open) {
            const { sid, pingInterval, pingTimeout } = JSON.parse(data);
            this.patience = pingInterval + pingTimeout;
            if (this.#polling) this.#polling.sid = sid;
            this.#state = 'open';
            this.#expect(this.patience);
            this.emit('open');
        } else if (type === engine.ping) {
            this.#expect(this.patience);
            this.#write(engine.pong);
        } else if (type === engine.message) {
            this.emit('message', data);
        } else if (type === engine.close) {
            this.#end('closed by the server');
        }
    }

    #expect(milliseconds) {
        clearTimeout(this.#silence);
        this.#patientUntil = Date.now() + milliseconds;
        this.#silence = setTimeout(() => this.#silent(), milliseconds);
    }

    #silent() {
        const socket = this.#socket;
        // A WebSocket that never opened may be blocked on the way; polling may still work.
        if (this.#state === 'opening' && socket) socket.onclose?.();
        else this.#end('the server is silent');
        socket?.close();
    }

    #end(reason) {
        if (this.#state === 'closed') return;
        this.#state = 'closed';
        clearTimeout(this.#silence);
        const socket = this.#socket;
        this.#socket = null;
        socket?.close();
        // The packet `close` may still be on its way, so only the poll is aborted.
        this.#polling?.abort.abort();
        this.emit('close', reason);
    }
}
