import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { Backoff } from '../../../Web/maru/backoff.js';
import { Live } from '../../../Web/maru/live.js';
import { decodeSocket, encodeSocket } from '../../../Web/maru/packets.js';

/** A gateway that speaks Engine.IO 4 by long polling and the namespace `/me`. It has one session at a time. */
class Gateway {
    connects = [];
    received = [];
    #session = 1;
    #waiting = null;
    #queue = [];

    async start() {
        this.server = createServer((request, response) => this.#answer(request, response)).listen(0, '127.0.0.1');
        await new Promise((resolve) => this.server.once('listening', resolve));
        this.address = `http://127.0.0.1:${this.server.address().port}/socket.io/`;
        return this;
    }

    stop() {
        this.server.closeAllConnections();
        this.server.close();
    }

    push(text) {
        this.#queue.push(text);
        this.#flush();
    }

    event(name, data) {
        this.push(`4${encodeSocket({ type: 2, namespace: '/me', data: [name, data] })}`);
    }

    /** Ends all connections and forgets the session, as a gateway that is killed does. A poll may be on its way to a new connection. */
    kill() {
        this.#session += 1;
        this.#waiting = null;
        this.#queue = [];
        this.server.closeAllConnections();
    }

    #answer(request, response) {
        const sid = new URL(request.url, 'http://x').searchParams.get('sid');
        if (sid !== null && sid !== `x${this.#session}`) {
            response.statusCode = 400;
            response.end('no such session');
        } else if (request.method === 'POST') {
            let body = '';
            request.on('data', (part) => (body += part));
            request.on('end', () => {
                response.end('ok');
                for (const packet of body.split('\x1e')) this.#take(packet);
            });
        } else if (sid === null) {
            response.end(`0${JSON.stringify({ sid: `x${this.#session}`, upgrades: ['websocket'], pingInterval: 25000, pingTimeout: 20000, maxPayload: 1e6 })}`);
        } else {
            this.#waiting = response;
            this.#flush();
        }
    }

    #take(packet) {
        if (packet[0] !== '4') return this.received.push(packet);
        const message = decodeSocket(packet.slice(1));
        if (message.type === 0) {
            this.connects.push(message.data);
            this.push('40/me,{"sid":"y"}');
            this.event('ready', { rooms: [] });
        } else if (message.type === 2) {
            const [name, data] = message.data;
            const reply = name === 'typing' ? { errorCode: 'E98', detail: 'slowly', retryAfter: 3 } : { done: data };
            this.push(`4${encodeSocket({ type: 3, namespace: '/me', id: message.id, data: [reply] })}`);
        }
    }

    #flush() {
        if (!this.#waiting || !this.#queue.length) return;
        const response = this.#waiting;
        this.#waiting = null;
        response.end(this.#queue.splice(0).join('\x1e'));
    }
}

/** A time that does not end while a test runs, also if the machine stands still. */
const LONG = 2 ** 30;

function connect(gateway, { WebSocket = null, ...more } = {}) {
    const live = new Live({
        address: gateway.address, token: async () => 'token', cursors: () => ({ 'channel-1': [5, 2] }),
        backoff: new Backoff({ first: 1, longest: 5 }), engine: { WebSocket, openWithin: LONG }, answerWithin: LONG, ...more,
    });
    live.start();
    return live;
}

const state = async (live, wanted) => {
    while (live.state !== wanted) await live.next('state');
};

test('A connection names the token and the cursors, and again after each loss', async () => {
    const gateway = await new Gateway().start();
    const live = connect(gateway);
    await state(live, 'live');
    gateway.kill();
    await state(live, 'waiting');
    await state(live, 'live');
    live.stop();
    gateway.stop();
    assert.deepEqual(gateway.connects, Array(2).fill({ token: 'token', cursors: { 'channel-1': [5, 2] } }));
});

test('A connection that was dropped for want of a network waits until it is woken', async () => {
    const gateway = await new Gateway().start();
    const waits = [];
    const live = connect(gateway, { backoff: { next: () => waits.push('asked') && 1, reset() {} } });
    await state(live, 'live');
    live.drop();
    assert.deepEqual([live.state, live.isHeld, waits], ['waiting', true, []]);
    live.wake();
    await state(live, 'live');
    assert.equal(live.isHeld, false);
    live.stop();
    gateway.stop();
});

test('Events arrive in their order and pings are answered', async () => {
    const gateway = await new Gateway().start();
    const live = connect(gateway);
    const seen = [];
    live.on('event', ({ name, data }) => seen.push([name, data.seq]));
    await state(live, 'live');
    for (let seq = 1; seq <= 3; seq += 1) gateway.event('message', { seq });
    gateway.push('2');
    while (seen.length < 4) await live.next('event');
    while (!gateway.received.includes('3')) await new Promise(setImmediate);
    live.stop();
    gateway.stop();
    assert.deepEqual(seen, [['ready', undefined], ['message', 1], ['message', 2], ['message', 3]]);
});

test('A request resolves with its acknowledgement and rejects with its failure', async () => {
    const gateway = await new Gateway().start();
    const live = connect(gateway);
    await assert.rejects(live.request('read', {}), (error) => error.isOffline);
    await state(live, 'live');
    assert.deepEqual(await live.request('read', { seq: 4 }), { done: { seq: 4 } });
    await assert.rejects(live.request('typing', {}), (error) => error.code === 'E98' && error.retryAfter === 3);
    live.stop();
    gateway.stop();
});

test('A request without an answer fails when the connection ends', async () => {
    const gateway = await new Gateway().start();
    const live = connect(gateway);
    await state(live, 'live');
    const asked = live.request('read', {});
    gateway.kill();
    await assert.rejects(asked, (error) => error.isOffline);
    live.stop();
    gateway.stop();
});

test('A WebSocket that cannot be opened gives way to polling', async () => {
    const gateway = await new Gateway().start();
    class Blocked {
        constructor() {
            queueMicrotask(() => this.onclose());
        }
        close() {}
    }
    const live = connect(gateway, { WebSocket: Blocked });
    await state(live, 'live');
    live.stop();
    gateway.stop();
});

test('A refused namespace asks for a new token and tries again', async () => {
    const gateway = await new Gateway().start();
    let renewed = 0;
    const live = connect(gateway, { expired: () => (renewed += 1) });
    await state(live, 'live');
    gateway.push('44/me,{"message":"E05","data":{"errorCode":"E05"}}');
    await state(live, 'waiting');
    await state(live, 'live');
    live.stop();
    gateway.stop();
    assert.equal(renewed, 1);
});

test('Packets of any namespace are read and written', () => {
    for (const packet of [
        { type: 0, namespace: '/me', data: { token: 'a' } },
        { type: 2, namespace: '/me', id: 12, data: ['send', { content: 'a,1[\n' }] },
        { type: 3, namespace: '/me', id: 0, data: [{}] },
        { type: 1, namespace: '/me' },
        { type: 2, namespace: '/', data: ['x'] },
    ]) {
        const { id, data, ...rest } = packet;
        assert.deepEqual(decodeSocket(encodeSocket(packet)), { ...rest, id, data });
    }
    assert.equal(decodeSocket('2/me,[broken'), null);
    assert.equal(decodeSocket('nonsense'), null);
});

test('Waits grow to the longest one and are spread at random', () => {
    const low = new Backoff({ first: 100, longest: 1000, random: () => 0 });
    assert.deepEqual([1, 2, 3, 4, 5].map(() => low.next()), [50, 100, 200, 400, 500]);
    low.reset();
    assert.equal(low.next(), 50);
    assert.equal(new Backoff({ first: 100, random: () => 1 }).next(), 100);
});
