import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Store } from '../../../Web/maru/store.js';
import { Timelines } from '../../../Web/maru/timelines.js';

const KEY = 'channel-3';
const ben = { user_id: '2', nickname: 'Ben' };
const message = (seq, more = {}) => ({ seq, rev: 0, content: `Text ${seq}`, user: ben, ...more });

/** A room on a server; `meanwhile` happens after a page was read and before it arrives. */
class Server {
    messages = [message(1), message(2)];
    rev = 0;
    calls = [];
    meanwhile = () => {};

    constructor() {
        this.store = new Store();
        this.store.me = '1';
        this.store.setRooms('9', [this.view]);
        this.timelines = new Timelines(this, this.store);
    }

    get view() {
        return { channel_id: '3', name: '일반', lastSeq: this.messages.at(-1).seq, rev: this.rev };
    }

    get shown() {
        return this.store.timeline(KEY).messages.map((each) => each.content);
    }

    /** A message or a change, with its event if the live connection is up. */
    say(made, { told = true } = {}) {
        this.messages = [...this.messages.filter((each) => each.seq !== made.seq), made].sort((one, other) => one.seq - other.seq);
        this.rev = Math.max(this.rev, made.rev);
        if (told) this.store.apply({ name: made.rev ? 'changed' : 'message', data: { room: KEY, message: made } });
    }

    async #answer(name, reply) {
        this.calls.push(name);
        const { meanwhile } = this;
        this.meanwhile = () => {};
        await meanwhile();
        return reply;
    }

    history(room, { before = Infinity, after = 0, limit }) {
        const all = this.messages.filter((each) => each.seq < before && each.seq > after);
        return this.#answer('history', after ? all.slice(0, limit) : all.slice(-limit));
    }

    changes(room, rev) {
        return this.#answer('changes', { items: this.messages.filter((each) => each.rev > rev), rev: this.rev, complete: true });
    }

    thread(room, root) {
        const items = this.messages.filter((each) => each.thread?.root === root);
        return this.#answer('thread', { root: this.messages.find((each) => each.seq === root), items, next: null });
    }
}

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
    const server = new Server();
    server.messages = Array.from({ length: 80 }, (_, place) => message(place + 1));
    server.store.setRooms('9', [server.view]);
    await server.timelines.open(KEY);
    server.meanwhile = () => {
        server.say(message(5, { rev: 1, content: 'Changed' }));
        server.say(message(70, { rev: 2, content: 'Changed later' }));
    };
    await server.timelines.loadBefore(KEY);
    assert.deepEqual([server.shown[4], server.shown[69], server.shown.length], ['Changed', 'Changed later', 80]);
});

test('A message that comes while the end of a long room is read is shown', async () => {
    const server = new Server();
    server.messages = Array.from({ length: 130 }, (_, place) => message(place + 1));
    server.store.setRooms('9', [server.view]);
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
