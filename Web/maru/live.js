import { Backoff } from './backoff.js';
import { Emitter } from './emitter.js';
import { EngineConnection } from './engine.js';
import { MaruError } from './errors.js';
import { decodeSocket, encodeSocket, socketTypes } from './packets.js';

const NAMESPACE = '/me';

/**
 * The live connection of a device: the namespace `/me`, kept open with back-off until `stop`.
 *
 * Emits `state` (`connecting`, `live` or `waiting`) and `event` `{name, data}` for every event of the server. The first event of
 * each connection is `ready`. Each connection names the cursors that the client holds, so nothing is missed in between.
 */
export class Live extends Emitter {
    #connection = null;
    #acks = new Map();
    #nextAck = 1;
    #timer = null;
    #isHeld = false;
    #running = false;
    #backoff;
    /** The cursors that the connection has named. */
    named = {};

    /**
     * @param {object} options
     * @param {string} options.address such as https://example.com/socket.io/
     * @param {() => Promise<string>} options.token returns a valid access token
     * @param {() => object} options.cursors returns `{room: [seq, rev]}`
     * @param {() => Promise<void>} [options.expired] called if the server refuses the token
     */
    constructor({ address, token, cursors, expired, backoff, engine = {}, answerWithin = 15_000 }) {
        super();
        this.address = address;
        this.token = token;
        this.cursors = cursors;
        this.expired = expired;
        this.engine = engine;
        this.answerWithin = answerWithin;
        this.state = 'waiting';
        this.#backoff = backoff ?? new Backoff();
    }

    start() {
        if (this.#running) return;
        this.#running = true;
        this.#connect();
    }

    stop() {
        this.#running = false;
        clearTimeout(this.#timer);
        this.#connection?.close();
        this.#set('waiting');
    }

    /** True after `drop`, until `wake`. */
    get isHeld() {
        return this.#isHeld;
    }

    /** Ends the connection, and connects again when it is woken: the system has no network. */
    drop() {
        this.#isHeld = true;
        clearTimeout(this.#timer);
        this.#connection?.close('the network is gone');
    }

    /** Connects at once if the connection waits or was lost in a sleep, as after the network came back. */
    wake() {
        this.#isHeld = false;
        // Timers stand still while a device sleeps, so its end may be due.
        if (this.#connection?.isOverdue) this.#connection.close('the server was silent');
        if (!this.#running || this.#connection) return;
        this.#backoff.reset();
        clearTimeout(this.#timer);
        this.#connect();
    }

    /** Sends an event and resolves with the acknowledgement. Rejects with a MaruError. */
    request(name, data) {
        if (this.state !== 'live') return Promise.reject(MaruError.offline());
        const id = this.#nextAck++;
        return new Promise((resolve, reject) => {
            const timer = setTimeout(() => this.#settle(id, MaruError.offline(new Error('The server did not answer.'))), this.answerWithin);
            this.#acks.set(id, { resolve, reject, timer });
            this.#connection.send(encodeSocket({ type: socketTypes.event, namespace: NAMESPACE, id, data: [name, data] }));
        });
    }

    async #connect() {
        this.#set('connecting');
        const connection = new EngineConnection(this.address, this.engine);
        this.#connection = connection;
        connection.on('close', (reason) => this.#closed(connection, reason));
        connection.on('message', (text) => this.#receive(connection, decodeSocket(text)));
        let token;
        try {
            token = await this.token();
        } catch {
            return connection.close('there is no token');
        }
        if (connection !== this.#connection) return;
        connection.on('open', () => {
            this.named = this.cursors();
            const data = { token, cursors: this.named };
            connection.send(encodeSocket({ type: socketTypes.connect, namespace: NAMESPACE, data }));
        });
        connection.connect();
    }

    #receive(connection, packet) {
        if (connection !== this.#connection || packet?.namespace !== NAMESPACE) return;
        if (packet.type === socketTypes.event) {
            const [name, data] = packet.data;
            if (name === 'ready') {
                this.#backoff.reset();
                this.#set('live');
            }
            this.emit('event', { name, data });
        } else if (packet.type === socketTypes.ack) {
            this.#settle(packet.id, packet.data?.[0]);
        } else if (packet.type === socketTypes.connectError) {
            const code = packet.data?.data?.errorCode ?? packet.data?.errorCode ?? packet.data?.message;
            if (code === 'E05' || code === 'E02') this.expired?.();
            connection.close('refused');
        } else if (packet.type === socketTypes.disconnect) {
            connection.close('disconnected by the server');
        }
    }

    #settle(id, result) {
        const waiting = this.#acks.get(id);
        if (!waiting) return;
        this.#acks.delete(id);
        clearTimeout(waiting.timer);
        if (result instanceof MaruError) waiting.reject(result);
        else if (result?.errorCode) waiting.reject(new MaruError(result.errorCode, result));
        else waiting.resolve(result);
    }

    #closed(connection, reason) {
        if (connection !== this.#connection) return;
        this.#connection = null;
        for (const id of [...this.#acks.keys()]) this.#settle(id, MaruError.offline());
        this.#set('waiting', reason);
        if (this.#running && !this.#isHeld) this.#timer = setTimeout(() => this.#connect(), this.#backoff.next());
    }

    #set(state, reason) {
        if (state === this.state) return;
        this.state = state;
        this.emit('state', { state, reason });
    }
}
