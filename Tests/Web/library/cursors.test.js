import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KEY, many, me, message, Server } from './server.js';

test('A message sent while the live connection is down does not hide one that came before it', async () => {
    const server = new Server();
    await server.timelines.open(KEY);
    // The connection is lost. Ben writes 3; the outbox posts 4 and takes its reply; then the connection is back.
    server.say(message(3), { told: false });
    server.store.take(KEY, server.say(message(4, { user: me }), { told: false }));
    const named = server.reconnect();
    assert.deepEqual(server.seqs, [1, 2, 3, 4], `cursor ${JSON.stringify(named)}`);
});

test('The same, if the page asks by HTTP before it is connected again', async () => {
    const server = new Server();
    await server.timelines.open(KEY);
    server.say(message(3), { told: false });
    server.store.take(KEY, server.say(message(4, { user: me }), { told: false }));
    await server.timelines.sync(KEY);
    assert.deepEqual(server.seqs, [1, 2, 3, 4]);
});

test('A reaction set while the live connection is down does not hide a deletion before it', async () => {
    const server = new Server();
    await server.timelines.open(KEY);
    server.say(message(1, { rev: 1, content: '', deletedAt: 'now' }), { told: false });
    server.store.take(KEY, server.say(message(2, { rev: 2, reactions: [{ emoji: '👍', count: 1, users: ['1'], mine: true }] }), { told: false }));
    server.reconnect();
    assert.deepEqual(server.shown, ['', 'Text 2']);
});

test('Catching up by HTTP: a new message that was changed already does not hide an older change of another one', async () => {
    const server = new Server();
    await server.timelines.open(KEY);
    server.say(message(1, { rev: 1, content: 'Edited' }), { told: false });
    server.say(message(3), { told: false });
    server.say(message(3, { rev: 2, content: 'Text 3' }), { told: false });
    server.store.setRooms('9', [server.view]);
    await server.timelines.sync(KEY);
    assert.deepEqual(server.shown, ['Edited', 'Text 2', 'Text 3']);
    server.reconnect();
    assert.deepEqual(server.shown, ['Edited', 'Text 2', 'Text 3'], 'not after the next connection either');
});

test('A message that comes while a gap is filled leaves no hole', async () => {
    const server = new Server(many(10));
    await server.timelines.open(KEY);
    for (const each of many(700).slice(10)) server.say(each, { told: false });
    server.store.setRooms('9', [server.view]);
    server.meanwhile = () => server.say(message(701));
    await server.timelines.fill({ room: KEY, from: 11, to: 700 });
    assert.equal(server.seqs.length, 701, `held ${server.seqs.length}, first missing ${server.seqs.findIndex((each, place) => each !== place + 1) + 1}`);
});

test('A gap whose filling fails is filled after the next connection', async () => {
    const server = new Server(many(10));
    await server.timelines.open(KEY);
    for (const each of many(700).slice(10)) server.say(each, { told: false });
    server.store.setRooms('9', [server.view]);
    server.failures = 1;
    await server.timelines.fill({ room: KEY, from: 11, to: 700 }).catch(() => {});
    server.say(message(701));
    assert.deepEqual(server.store.cursors()[KEY], [10, 0]);
    server.reconnect();
    assert.equal(server.seqs.length, 701);
});

test('What the reading after a page could not get comes with the next connection', async () => {
    const server = new Server();
    server.meanwhile = () => server.say(message(3));
    const read = server.timelines.open(KEY).catch(() => {});
    const { history } = server;
    server.history = () => Promise.reject(new Error('offline')); // the page is on its way; the reading after it fails
    await read;
    server.history = history;
    server.say(message(4));
    server.reconnect();
    assert.deepEqual(server.seqs, [1, 2, 3, 4]);
});

test('Replies to an open thread that came while the connection was down are shown after it', async () => {
    const server = new Server();
    await server.timelines.open(KEY);
    await server.timelines.openThread(KEY, 1);
    server.say(message(3, { thread: { root: 1 } }), { told: false });
    server.say(message(4), { told: false });
    server.store.setRooms('9', [server.view]);
    await server.timelines.sync(KEY); // as the page does every four seconds
    server.reconnect();
    assert.deepEqual(server.store.timeline(`${KEY}/1`).messages.map((each) => each.seq), [1, 3]);
    assert.deepEqual(server.seqs, [1, 2, 4]);
});

test('A gap that is told while an earlier one is filled is not passed over if its filling fails', async () => {
    const server = new Server(many(10));
    await server.timelines.open(KEY);
    for (const each of many(20).slice(10)) server.say(each, { told: false });
    const { changes, history } = server;
    let fail, second;
    // Shortly before the first filling ends, the socket lacks more messages.
    server.changes = (...all) => {
        Object.assign(server, { changes, history: () => new Promise((_, reject) => (fail = reject)) });
        for (const each of many(30).slice(20)) server.say(each, { told: false });
        second = server.timelines.fill({ room: KEY, from: 21, to: 30 }).catch(() => {});
        server.history = history;
        return server.changes(...all);
    };
    await server.timelines.fill({ room: KEY, from: 11, to: 20 });
    server.say(message(31));
    fail(new Error('offline'));
    await second;
    server.reconnect();
    assert.deepEqual(server.seqs, many(31).map((each) => each.seq));
});

test('A room that could not be brought up to date is, when it is opened again', async () => {
    const server = new Server();
    await server.timelines.open(KEY);
    server.say(message(3), { told: false });
    server.failures = 1;
    await server.timelines.sync(KEY).catch(() => {});
    await server.timelines.open(KEY);
    assert.deepEqual(server.seqs, [1, 2, 3]);
});

test('A gap of more than a thousand messages is one of the open threads too, and no message passes over it', async () => {
    const server = new Server();
    await server.timelines.open(KEY);
    await server.timelines.openThread(KEY, 1);
    for (const each of many(1500).slice(2)) server.say(each, { told: false });
    server.say(message(1400, { rev: 1, thread: { root: 1 } }), { told: false });
    server.failures = 1;
    await server.timelines.fill({ room: KEY, from: 3, to: 1500 }).catch(() => {});
    server.say(message(1501));
    assert.deepEqual(server.store.cursors()[KEY], [2, 0]);
    await server.timelines.fill({ room: KEY, from: 3, to: 1500 });
    assert.equal(server.seqs.at(-1), 1501);
    assert.deepEqual(server.store.timeline(`${KEY}/1`).messages.map((each) => each.seq), [1, 1400]);
});

test('A long gap that cannot be read is not passed over because an earlier filling ends', async () => {
    const server = new Server(many(10));
    await server.timelines.open(KEY);
    for (const each of many(20).slice(10)) server.say(each, { told: false });
    const { changes, history } = server;
    server.changes = async (...all) => {
        Object.assign(server, { changes, history: () => Promise.reject(new Error('offline')) });
        for (const each of many(1500).slice(20)) server.say(each, { told: false });
        await server.timelines.fill({ room: KEY, from: 21, to: 1500 }).catch(() => {});
        server.history = history;
        return server.changes(...all);
    };
    await server.timelines.fill({ room: KEY, from: 11, to: 20 });
    server.say(message(1501));
    assert.deepEqual(server.store.cursors()[KEY], [20, 0]);
});

test('A jump to a held message while a long gap is filled leaves no hole', async () => {
    const server = new Server(many(100));
    await server.timelines.open(KEY);
    for (const each of many(1500).slice(100)) server.say(each, { told: false });
    server.meanwhile = () => server.timelines.openAt(KEY, 60);
    await server.timelines.fill({ room: KEY, from: 101, to: 1500 });
    server.say(message(1501));
    const { seqs } = server;
    assert.deepEqual(seqs, many(1501).map((each) => each.seq).slice(-seqs.length));
    assert.deepEqual(server.store.cursors()[KEY], [1501, 0]);
});
