import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KEY, message, Server } from './server.js';
import { Drafts } from '../../../Web/maru/drafts.js';
import { Follower } from '../../../Web/maru/follower.js';
import { Emitter } from '../../../Web/maru/emitter.js';
import { Store } from '../../../Web/maru/store.js';

test('A workspace that was left and entered again shows what was written meanwhile', async () => {
    const server = new Server();
    await server.timelines.open(KEY);
    server.store.setWorkspaces([]); // the reply after "leave"; the event `gone` follows
    server.store.apply({ name: 'workspace', data: { type: 'gone', workspace_id: '9' } });
    server.say(message(3), { told: false });
    server.store.setWorkspaces([{ workspace_id: '9', name: 'home' }]);
    server.store.setRooms('9', [server.view]);
    await server.timelines.open(KEY);
    assert.deepEqual(server.seqs, [1, 2, 3]);
});

test('A room that was left while its page was read, and entered again, shows what was written meanwhile', async () => {
    const server = new Server();
    server.meanwhile = () => server.store.apply({ name: 'left', data: { room: KEY } });
    await server.timelines.open(KEY).catch(() => {});
    server.say(message(3), { told: false });
    server.store.setRooms('9', [server.view]);
    await server.timelines.open(KEY);
    assert.deepEqual(server.seqs, [1, 2, 3]);
});

test('A list of rooms that was overtaken by a change does not take its revision back', async () => {
    const server = new Server();
    const old = server.view;
    server.meanwhile = () => {
        server.say(message(1, { rev: 1, content: 'Changed' }));
        server.store.setRooms('9', [old]); // read before the change
    };
    const { history } = server;
    const page = server.messages;
    server.history = async () => (await history.call(server, null, { limit: 50 }), page);
    let calls = 0;
    const first = server.history;
    server.history = (...all) => (calls++ ? history.apply(server, all) : first());
    await server.timelines.open(KEY);
    assert.deepEqual(server.shown, ['Changed', 'Text 2']);
});

function followed() {
    const store = new Store({ later: () => {} });
    store.me = '1';
    store.setWorkspaces([{ workspace_id: '9', name: 'home' }]);
    store.setRooms('9', [{ channel_id: '3', name: 'general', lastSeq: 2 }]);
    const live = Object.assign(new Emitter(), { state: 'live', named: {}, start() {}, stop() {}, wake() {}, drop() {} });
    const reads = [];
    const client = Object.assign(new Emitter(), {
        live, store, drafts: new Drafts({ draft: async () => {} }, store), outbox: { wake() {}, flush() {} }, timelines: { resume: async () => {}, fill: async () => {}, sync: async () => {} },
        session: { isSignedIn: true, renew: async (used) => reads.push(`renew ${used}`) },
        loadWorkspaces: async () => { reads.push('workspaces'); store.setWorkspaces(client.workspaces); },
        loadRooms: async (each) => reads.push(`rooms ${each}`), workspaces: [{ workspace_id: '9', name: 'home' }],
    });
    return { client, live, store, reads, follower: new Follower(client) };
}
const event = (live, name, data) => live.emit('event', { name, data });

test('A room that the user was added to is read, although a badge comes after it', (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const { live, reads } = followed();
    event(live, 'joined', { room: 'channel-4' });
    // Meanwhile somebody writes in a known room: its badge overtakes the message.
    event(live, 'badge', { unreadCount: 1, mentionCount: 0 });
    event(live, 'message', { room: KEY, message: message(3) });
    context.mock.timers.tick(10_000);
    assert.ok(reads.includes('workspaces'), 'the rooms were not read again');
});

test('A badge that comes shortly before its message makes nothing be read again', (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const { live, reads } = followed();
    event(live, 'badge', { unreadCount: 1, mentionCount: 0 });
    context.mock.timers.tick(500);
    event(live, 'message', { room: KEY, message: message(3) });
    context.mock.timers.tick(10_000);
    assert.deepEqual(reads, []);
});

test('A workspace that was lost while the connection was down is gone after it', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const { client, live, store } = followed();
    store.setWorkspaces([{ workspace_id: '9', name: 'home' }, { workspace_id: '8', name: 'other' }]);
    store.setRooms('8', [{ channel_id: '5', name: 'secret', lastSeq: 1 }]);
    event(live, 'ready', { rooms: [{ workspace_id: '9', channel_id: '3', name: 'general', lastSeq: 2 }] });
    context.mock.timers.tick(10_000);
    await new Promise(setImmediate);
    assert.deepEqual([[...store.workspaces.keys()], store.rooms.has('channel-5')], [['9'], false]);
});

/** A client that also knows a workspace 8 with the room `channel-5`, which the next start lacks. */
function unreachable(context) {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const all = followed();
    const { client, live, reads, store } = all;
    client.workspaces.push({ workspace_id: '8', name: 'other' });
    store.setWorkspaces(client.workspaces);
    const far = { channel_id: '5', name: 'far', lastSeq: 1, unreadCount: 2 };
    store.setRooms('8', [far]);
    client.loadRooms = async (each) => {
        reads.push(`rooms ${each}`);
        if (each === '8') store.setRooms('8', [far]);
    };
    const start = () => event(live, 'ready', { rooms: [{ workspace_id: '9', channel_id: '3', name: 'general', lastSeq: 2 }], unavailable: ['8'] });
    const settle = async () => {
        context.mock.timers.tick(10_000);
        await new Promise(setImmediate);
    };
    return { ...all, far, start, settle };
}

test('A workspace that cannot be reached keeps its rooms, and is read again when one of them is back', async (context) => {
    const { live, reads, store, start, settle } = unreachable(context);
    start();
    await settle();
    assert.deepEqual([reads, store.rooms.has('channel-5'), [...store.unavailable]], [[], true, ['8']]);
    event(live, 'draft', { room: KEY });
    await settle();
    assert.deepEqual(reads.splice(0), ['workspaces', 'rooms 9']);
    event(live, 'joined', { room: 'channel-5' });
    await settle();
    assert.deepEqual([reads, store.unavailable.size], [['workspaces', 'rooms 9', 'rooms 8'], 0]);
});

test('A workspace without known rooms is read again when any room is back', async (context) => {
    const { live, reads, store, start, settle } = unreachable(context);
    store.removeRoom('channel-5');
    start();
    event(live, 'joined', { room: 'channel-5' });
    await settle();
    assert.deepEqual([reads.includes('rooms 8'), store.unavailable.size], [true, 0]);
});

test('A room that is back is brought up to date unless the server does so, and missed messages are no news', async (context) => {
    const { client, live, store, far, start, settle } = unreachable(context);
    const [told, resumed] = [[], []];
    store.on('message', ({ message }) => told.push(message.seq));
    client.timelines.resume = async (key) => resumed.push(key);
    store.timeline('channel-5');
    start();
    assert.deepEqual(resumed, []);
    event(live, 'joined', { room: 'channel-5' });
    event(live, 'message', { room: 'channel-5', message: message(2) });
    assert.deepEqual([resumed, told], [['channel-5'], []]);
    far.lastSeq = 2;
    await settle();
    event(live, 'joined', { room: 'channel-5' });
    event(live, 'message', { room: 'channel-5', message: message(3) });
    assert.deepEqual([resumed, told], [['channel-5'], [3]]);
});

test('A badge without the rooms that cannot be reached makes nothing be read again', async (context) => {
    const { live, reads, start, settle } = unreachable(context);
    start();
    event(live, 'badge', { unreadCount: 0, mentionCount: 0 });
    await settle();
    assert.deepEqual(reads, []);
});

test('Rooms of a workspace that cannot be read do not hold up those of another one', async (context) => {
    const { client, live, reads, settle } = unreachable(context);
    const { loadRooms } = client;
    client.loadRooms = async (each) => {
        await loadRooms(each);
        if (each === '9') throw Object.assign(new Error('E99'), { isTemporary: true, retryAfter: 0 });
    };
    event(live, 'draft', { room: KEY });
    await settle();
    assert.deepEqual(reads.splice(0), ['workspaces', 'rooms 9', 'rooms 8']);
    await settle();
    assert.deepEqual(reads, ['workspaces', 'rooms 9', 'rooms 8']);
});

test('An open thread of a room whose end is not held is read again after the connection was down', () => {
    const { client, live, store } = followed();
    const opened = [];
    client.timelines.openThread = async (...place) => opened.push(place);
    store.timeline(`${KEY}/1`).loaded = true; // opened from the list of threads
    event(live, 'ready', { rooms: [{ workspace_id: '9', channel_id: '3', name: 'general', lastSeq: 3 }] });
    assert.deepEqual(opened, [[KEY, 1]]);
});

test('What was written before a new connection is no news on it', () => {
    const { live, store } = followed();
    const told = [];
    store.on('message', (event) => told.push(event.message.seq));
    event(live, 'ready', { rooms: [{ workspace_id: '9', channel_id: '3', name: 'general', lastSeq: 3 }] });
    for (const seq of [3, 4]) event(live, 'message', { room: KEY, message: message(seq) });
    assert.deepEqual(told, [4]);
});

test('A draft that was stored while the connection was made stays', async () => {
    const { client, live, store } = followed();
    const before = { workspace_id: '9', channel_id: '3', name: 'general', lastSeq: 2 };
    live.emit('state', { state: 'connecting' });
    await client.drafts.save(KEY, 'Half a thou');
    event(live, 'ready', { rooms: [before] });
    assert.equal(client.drafts.text(KEY), 'Half a thou');
    live.emit('state', { state: 'connecting' });
    event(live, 'ready', { rooms: [{ ...before, draft: { content: 'Half a thought' } }] });
    assert.equal(client.drafts.text(KEY), 'Half a thought');
});

test('The rooms are read again after a start that leaves out long drafts', (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const { live, reads } = followed();
    const room = { workspace_id: '9', channel_id: '3', name: 'general', lastSeq: 2 };
    event(live, 'ready', { rooms: [room] });
    context.mock.timers.tick(10_000);
    assert.deepEqual(reads, []);
    event(live, 'ready', { rooms: [{ ...room, draftsOmitted: true }] });
    context.mock.timers.tick(10_000);
    assert.ok(reads.includes('workspaces'));
});
