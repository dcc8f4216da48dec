import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KEY, many, Server } from './server.js';

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
