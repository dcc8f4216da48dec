import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KEY, many, message, Server } from './server.js';

test('A message that comes while the newest page is read is shown', async () => {
    const server = new Server();
    server.meanwhile = () => server.say(message(3));
    await server.timelines.open(KEY);
    assert.deepEqual(server.shown, ['Text 1', 'Text 2', 'Text 3']);
});

test('A change that comes while the newest page is read is shown', async () => {
    const server = new Server();
    server.meanwhile = () => server.say(message(1, { rev: 1, content: 'Changed' }));
    await server.timelines.open(KEY);
    assert.deepEqual(server.shown, ['Changed', 'Text 2']);
});

test('A page that is as new as what is known of the room is read once', async () => {
    const server = new Server();
    server.meanwhile = () => server.store.timeline(KEY).heard++;
    await server.timelines.open(KEY);
    assert.deepEqual(server.calls, ['history']);
});

test('A change that comes while an older page is read is shown, although later changes are held', async () => {
    const server = new Server(many(80));
    await server.timelines.open(KEY);
    server.meanwhile = () => {
        server.say(message(5, { rev: 1, content: 'Changed' }));
        server.say(message(70, { rev: 2, content: 'Changed later' }));
    };
    await server.timelines.loadBefore(KEY);
    assert.deepEqual([server.shown[4], server.shown[69], server.shown.length], ['Changed', 'Changed later', 80]);
});

test('A message that comes while the end of a long room is read is shown', async () => {
    const server = new Server(many(130));
    await server.timelines.openAt(KEY, 50);
    server.meanwhile = () => server.say(message(131));
    await server.timelines.loadAfter(KEY);
    assert.equal(server.shown.at(-1), 'Text 131');
});

test('A reply that comes while its thread is read is shown', async () => {
    const server = new Server();
    server.meanwhile = () => server.say(message(3, { thread: { root: 1 } }));
    await server.timelines.openThread(KEY, 1);
    assert.deepEqual(server.store.timeline(`${KEY}/1`).messages.map((each) => each.seq), [1, 3]);
});

test('What was written before the live connection was ready is shown, whether the page has come or not', async () => {
    for (const isHeld of [true, false]) {
        const server = new Server();
        const ready = async () => {
            server.say(message(3), { told: false });
            server.say(message(1, { rev: 1, content: 'Changed' }), { told: false });
            server.store.setRooms('9', [server.view]);
            await server.timelines.resume(KEY);
        };
        if (!isHeld) server.meanwhile = ready;
        await server.timelines.open(KEY);
        if (isHeld) await ready();
        assert.deepEqual(server.shown, ['Changed', 'Text 2', 'Text 3']);
    }
});
