import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KEY, many, message, Server } from './server.js';

/** Holds the replies of a history, to be let go one by one. */
function held(server) {
    const { history } = server, waiting = [];
    server.history = async (...all) => {
        const reply = await history.apply(server, all);
        await new Promise((resolve) => waiting.push(resolve));
        return reply;
    };
    return waiting;
}
const turn = () => new Promise(setImmediate);
const hasHole = (seqs) => seqs.some((each, place) => place && each !== seqs[place - 1] + 1);

// Near an end of the window the next page is loaded; meanwhile a click on a search hit goes elsewhere.
for (const [name, from, load, to] of [['an old message while newer', 250, 'loadAfter', 60], ['a new message while older', 100, 'loadBefore', 400]]) {
    test(`A jump to ${name} ones are loaded leaves no hole`, async () => {
        const server = new Server(many(500));
        await server.timelines.openAt(KEY, from);
        const waiting = held(server);
        const page = server.timelines[load](KEY);
        const jump = server.timelines.openAt(KEY, to);
        await turn();
        waiting.splice(1).forEach((go) => go());
        await jump;
        waiting.forEach((go) => go());
        await page;
        assert.equal(hasHole(server.seqs), false, server.seqs.join());
    });
}

test('Of two jumps the last one counts, whichever reply comes first', async () => {
    const server = new Server(many(500));
    await server.timelines.open(KEY);
    const waiting = held(server);
    const first = server.timelines.openAt(KEY, 100);
    await turn();
    const second = server.timelines.openAt(KEY, 300);
    await turn();
    waiting.splice(2).forEach((go) => go());
    await second;
    waiting.forEach((go) => go());
    await first;
    assert.ok(server.store.timeline(KEY).get(300), `the window is ${server.seqs[0]} to ${server.seqs.at(-1)}`);
});

test('A message that pushes the oldest one out of a long window leaves no hole before it', async () => {
    const server = new Server(many(1100));
    await server.timelines.open(KEY);
    for (const each of many(2050).slice(1100)) server.say(each);
    server.meanwhile = () => server.say(message(2051));
    await server.timelines.loadBefore(KEY);
    assert.equal(hasHole(server.seqs), false, server.seqs.join());
    assert.equal(server.seqs[0], 1002);
});

test('A thread that is closed is forgotten, also while it is read, and leaves the window of its room', async () => {
    const server = new Server(many(300));
    await server.timelines.open(KEY);
    for (let page = 0; page < 4; page += 1) await server.timelines.loadBefore(KEY);
    await server.timelines.openThread(KEY, 60);
    server.timelines.close(KEY, 60);
    server.meanwhile = () => server.timelines.close(KEY, 70);
    await server.timelines.openThread(KEY, 70);
    assert.deepEqual([[...server.store.timelines.keys()], server.seqs.length], [[KEY], 250]);
    server.timelines.close(KEY);
    assert.equal(server.seqs.length, 200);
});

test('A room that the user has left is gone with its threads', async () => {
    const server = new Server();
    await server.timelines.open(KEY);
    await server.timelines.openThread(KEY, 1);
    server.store.apply({ name: 'left', data: { room: KEY } });
    assert.equal(server.store.timelines.size, 0);
});
