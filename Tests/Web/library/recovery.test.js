import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KEY, message, Server } from './server.js';
import { MaruClient } from '../../../Web/maru/client.js';
import { Drafts } from '../../../Web/maru/drafts.js';
import { Emitter } from '../../../Web/maru/emitter.js';
import { MaruError } from '../../../Web/maru/errors.js';
import { Follower } from '../../../Web/maru/follower.js';
import { Live } from '../../../Web/maru/live.js';
import { BrowserStorage, MemoryStorage, openStorage } from '../../../Web/maru/storage.js';

const ROOMS = [{ workspace_id: '9', channel_id: '3', name: 'general', lastSeq: 2 }];
const busy = () => new MaruError('E99', { status: 503 });
const turn = () => new Promise(setImmediate);

test('A list of workspaces or rooms that was asked for before a newer one and comes after it is dropped', async () => {
    const client = new MaruClient({ base: 'http://x', key: 'native', storage: new MemoryStorage(), locks: null });
    const waiting = [];
    const held = () => new Promise((resolve) => waiting.push(resolve));
    Object.assign(client.routes, { workspaces: held, rooms: held });
    const [home, made] = [{ workspace_id: '9', name: 'home' }, { workspace_id: '8', name: 'made meanwhile' }];
    const workspaces = [client.loadWorkspaces(), client.loadWorkspaces()];
    waiting.pop()([home, made]);
    await workspaces[1];
    waiting.pop()([home]);
    await workspaces[0];
    assert.deepEqual([...client.store.workspaces.keys()], ['9', '8']);
    const rooms = [client.loadRooms('9'), client.loadRooms('9')];
    waiting.pop()({ rooms: [...ROOMS, { workspace_id: '9', channel_id: '4', name: 'made meanwhile' }] });
    await rooms[1];
    waiting.pop()({ rooms: ROOMS });
    await rooms[0];
    assert.deepEqual([...client.store.rooms.keys()], [KEY, 'channel-4']);
});

/** A client with a room and a live connection. It notes its calls; the next ones fail with the errors in `failures`. */
function followed() {
    const { store } = new Server();
    const live = Object.assign(new Emitter(), { state: 'live', named: { [KEY]: [2, 0] }, start() {}, stop() {}, wake() {}, drop() {} });
    const calls = [], failures = [];
    const call = (name) => async () => {
        calls.push(name);
        if (failures.length) throw failures.shift();
    };
    const client = Object.assign(new Emitter(), {
        live, store, drafts: new Drafts({}, store), outbox: { wake() {}, flush() {} }, session: { isSignedIn: true },
        timelines: Object.fromEntries(['fill', 'resume', 'sync', 'loadReaders', 'openThread'].map((each) => [each, call(each)])),
        loadWorkspaces: call('workspaces'), loadRooms: call('rooms'),
    });
    const follower = new Follower(client);
    const event = (name, data) => live.emit('event', { name, data });
    const state = (name) => live.emit('state', { state: (live.state = name) });
    return { client, live, store, calls, failures, follower, event, state };
}

test('A gap that cannot be filled for a moment is filled on the same connection', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const { calls, failures, event } = followed();
    failures.push(busy());
    event('gap', { room: KEY, from: 3, to: 700 });
    await turn();
    context.mock.timers.tick(10_000);
    await turn();
    assert.deepEqual(calls, ['fill', 'fill']);
});

test('A gap that cannot be filled until the connection ends is left to the next one', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const { calls, failures, event, state } = followed();
    failures.push(busy(), busy());
    event('gap', { room: KEY, from: 3, to: 700 });
    await turn();
    state('waiting');
    state('connecting');
    state('live');
    context.mock.timers.tick(60_000);
    await turn();
    assert.deepEqual(calls, ['fill']);
});

test('A room that the user was added to is read, although the first reading fails', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const { calls, failures, event } = followed();
    failures.push(busy());
    event('joined', { room: 'channel-4' });
    for (let time = 0; time < 2; time += 1) {
        context.mock.timers.tick(10_000);
        await turn();
    }
    assert.deepEqual(calls, ['workspaces', 'workspaces', 'rooms']);
});

test('A reading that fails while another one waits for a badge is not lost with that one', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const { calls, failures, event } = followed();
    failures.push(busy());
    event('joined', { room: 'channel-4' });
    context.mock.timers.tick(200);
    // The badge of a message overtakes it, and fits once the message is there.
    event('badge', { unreadCount: 1, mentionCount: 0 });
    event('message', { room: KEY, message: message(3) });
    for (let time = 0; time < 2; time += 1) {
        await turn();
        context.mock.timers.tick(10_000);
    }
    await turn();
    assert.deepEqual(calls, ['workspaces', 'workspaces', 'rooms']);
});

test('Read markers that moved while the connection was down are read after it', () => {
    const { calls, follower, event } = followed();
    follower.focus = { workspace: '9', room: KEY };
    event('ready', { rooms: ROOMS });
    assert.deepEqual(calls, [], 'the view of the room reads them at first');
    event('ready', { rooms: ROOMS });
    assert.deepEqual(calls, ['loadReaders']);
});

test('A workspace that the user loses while there is no live connection is noticed', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const { calls, failures, follower, state } = followed();
    follower.focus = { workspace: '9', room: KEY };
    failures.push(new MaruError('E13', { status: 404 }));
    state('waiting');
    context.mock.timers.tick(5000);
    await turn();
    assert.deepEqual(calls, ['rooms', 'workspaces']);
});

test('A marker from before the last event does not come back with a list of readers', async () => {
    const { store, timelines } = new Server();
    timelines.routes.readers = async () => [{ user_id: '2', seq: 1 }];
    await timelines.loadReaders(KEY);
    store.apply({ name: 'read', data: { room: KEY, user_id: '2', seq: 2 } });
    await timelines.loadReaders(KEY);
    assert.deepEqual(store.readersOf(KEY, 2), ['2']);
});

const OUTCOMES = [['a newer one of another device stays', 11, [11, 0]], ['a message that came meanwhile is counted', null, [5, 6]]];
for (const [name, marker, expected] of OUTCOMES) {
    test(`A read marker could not be stored: ${name}`, async () => {
        const client = new MaruClient({ base: 'http://x', key: 'native', locks: null });
        client.store.me = '1';
        client.store.setWorkspaces([{ workspace_id: '9', name: 'home' }]);
        client.store.setRooms('9', [{ channel_id: '3', name: 'general', lastSeq: 10, lastReadSeq: 5, unreadCount: 5 }]);
        let fail;
        client.routes.read = () => new Promise((_, reject) => (fail = reject));
        const read = client.read(KEY, 10);
        client.store.apply({ name: 'message', data: { room: KEY, message: message(11) } });
        if (marker) client.store.apply({ name: 'read', data: { room: KEY, user_id: '1', seq: marker, unreadCount: 0, mentionCount: 0 } });
        fail(MaruError.offline());
        await read;
        const { lastReadSeq, unreadCount } = client.store.rooms.get(KEY);
        assert.deepEqual([lastReadSeq, unreadCount], expected);
    });
}

test('A connection that ended while the device slept is made anew when the page is shown', async (context) => {
    const opened = [];
    class Socket {
        readyState = 1;
        constructor() {
            opened.push(this);
            queueMicrotask(() => this.onmessage({ data: '0{"sid":"x","pingInterval":25000,"pingTimeout":20000}' }));
        }
        send(text) {
            if (text.startsWith('40/me,')) queueMicrotask(() => this.onmessage({ data: '42/me,["ready",{"rooms":[]}]' }));
        }
        close() {}
    }
    const live = new Live({ address: 'http://x/socket.io/', token: async () => 'token', cursors: () => ({}), engine: { WebSocket: Socket } });
    live.start();
    while (live.state !== 'live') await live.next('state');
    live.wake();
    await turn();
    assert.equal(opened.length, 1);
    const now = Date.now();
    context.mock.method(Date, 'now', () => now + 60_000);
    live.wake();
    await turn();
    live.stop();
    assert.equal(opened.length, 2);
});

test('A storage that the browser has closed is opened again', async (context) => {
    const values = new Map(), opened = [];
    const open = () => {
        const database = {
            transaction() {
                if (database.isClosed) throw new DOMException('The database connection is closing.', 'InvalidStateError');
                const store = { put: (value, key) => values.set(key, value), get: (key) => ({ result: values.get(key) }) };
                const transaction = { objectStore: () => store };
                queueMicrotask(() => transaction.oncomplete());
                return transaction;
            },
        };
        opened.push(database);
        const request = { result: database };
        queueMicrotask(() => request.onsuccess());
        return request;
    };
    globalThis.indexedDB = { open };
    context.after(() => delete globalThis.indexedDB);
    const storage = new BrowserStorage();
    await storage.set('one', 1);
    opened[0].isClosed = true;
    await storage.set('two', 2);
    assert.deepEqual([await storage.get('one'), await storage.get('two'), opened.length], [1, 2, 2]);
});

test('A long draft that a start leaves out stays until the rooms are read', () => {
    const { store, event } = followed();
    const draft = { content: 'A long text' };
    store.setRooms('9', [{ ...ROOMS[0], draft }]);
    event('ready', { rooms: [{ ...ROOMS[0], draftsOmitted: true }] });
    assert.deepEqual(store.rooms.get(KEY).draft, draft);
    store.setRooms('9', ROOMS);
    assert.equal(store.rooms.get(KEY).draft, null);
});

test('A browser without IndexedDB keeps texts where its other tabs and later visits find them, and the rest in memory', async () => {
    const kept = new Map();
    const found = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value), removeItem: (key) => kept.delete(key) };
    const open = () => openStorage({ texts: () => found });
    const one = await open(), two = await open();
    await one.set('signed-out', '1');
    await one.set('outbox/1/a', { content: 'private' });
    assert.deepEqual([await two.get('signed-out'), (await one.all('outbox/1/')).length, kept.size], ['1', 1, 1]);
    await two.remove('signed-out');
    assert.equal(await one.get('signed-out'), undefined);
});
