import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Backoff } from '../../../Web/maru/backoff.js';
import { MaruError } from '../../../Web/maru/errors.js';
import { Outbox } from '../../../Web/maru/outbox.js';
import { MemoryStorage } from '../../../Web/maru/storage.js';

/** A server that stores messages by client_id, as chat-service does, and fails on demand. */
class Server {
    received = [];
    failures = [];

    send = async ({ id, room, content }) => {
        const failure = this.failures.shift();
        if (failure?.before) throw failure.before;
        if (!this.received.some((each) => each.id === id)) this.received.push({ id, room, content });
        if (failure?.after) throw failure.after;
        return { seq: this.received.findIndex((each) => each.id === id) + 1, client_id: id, content };
    };

    get contents() {
        return this.received.map((each) => each.content);
    }
}

let ids = 0;
function outbox(server, storage = new MemoryStorage()) {
    return new Outbox({ storage, send: server.send, id: () => `id-${(ids += 1)}`, backoff: () => new Backoff({ first: 1, longest: 2 }) });
}

const message = (content, room = 'channel-1') => ({ room, workspace: '1', content });
const sent = (box, count) => new Promise((resolve) => {
    let all = 0;
    box.on('sent', () => (all += 1) === count && resolve());
});

test('Messages of a room leave in their order, and the outbox is empty afterwards', async () => {
    const server = new Server(), box = outbox(server);
    await box.open('7');
    const done = sent(box, 3);
    for (const each of ['one', 'two', 'three']) await box.add(message(each));
    await done;
    await new Promise(setImmediate);
    assert.deepEqual(server.contents, ['one', 'two', 'three']);
    assert.equal(box.isEmpty, true);
});

test('A message whose reply was lost is one message, before and after a reload', async () => {
    const server = new Server(), storage = new MemoryStorage();
    server.failures = [{ after: MaruError.offline() }, { after: MaruError.offline() }];
    const before = outbox(server, storage);
    await before.open('7');
    const isWaiting = before.next('changed');
    await before.add(message('once'));
    await isWaiting;
    before.close();

    const after = outbox(server, storage);
    const done = sent(after, 1);
    await after.open('7');
    await done;
    assert.deepEqual(server.contents, ['once']);
});

test('A try without a reply is told, and one that the server answered is not', async () => {
    const server = new Server(), box = outbox(server);
    const told = [];
    box.on('unreachable', () => told.push(server.failures.length));
    server.failures = [{ before: MaruError.offline() }, { before: new MaruError('E98', { status: 429 }) }];
    await box.open('7');
    const done = sent(box, 1);
    await box.add(message('through'));
    await done;
    assert.deepEqual(told, [1]);
});

test('An outbox takes up its own user only', async () => {
    const server = new Server(), storage = new MemoryStorage();
    server.failures = Array(100).fill({ before: MaruError.offline() });
    const anna = outbox(server, storage);
    await anna.open('7');
    await anna.add(message('secret'));
    anna.close();
    const ben = outbox(new Server(), storage);
    await ben.open('8');
    assert.equal(ben.isEmpty, true);
});

test('A refused message stays as failed, does not hold up the next one, and can be sent again', async () => {
    const server = new Server(), box = outbox(server);
    server.failures = [{ before: new MaruError('E11', { status: 400, detail: 'too long' }) }];
    await box.open('7');
    const done = sent(box, 1);
    const first = await box.add(message('refused'));
    await box.add(message('fine'));
    await done;
    assert.deepEqual(server.contents, ['fine']);
    assert.deepEqual(box.of('channel-1').map((each) => [each.content, each.state, each.error.code]), [['refused', 'failed', 'E11']]);
    const again = sent(box, 1);
    await box.retry(first.id);
    await again;
    assert.deepEqual(server.contents, ['fine', 'refused']);
});

test('A failed message is still failed after a reload', async () => {
    const server = new Server(), storage = new MemoryStorage(), box = outbox(server, storage);
    server.failures = [{ before: new MaruError('E13', { status: 404 }) }];
    await box.open('7');
    await box.add(message('gone'));
    while (box.of('channel-1')[0].state !== 'failed') await box.next('changed');
    await new Promise(setImmediate);
    const after = outbox(server, storage);
    await after.open('7');
    assert.equal(after.of('channel-1')[0].state, 'failed');
});

test('A removed message is not sent by a later visit', async () => {
    const server = new Server(), storage = new MemoryStorage(), box = outbox(server, storage);
    server.failures = Array(1000).fill({ before: MaruError.offline() });
    await box.open('7');
    const entry = await box.add(message('no'));
    await box.remove(entry.id);
    assert.deepEqual(await storage.all('outbox/'), []);
    box.close();
});

test('A thread shows its own replies, and the room those that were sent to it too', async () => {
    const server = new Server(), box = outbox(server);
    server.failures = Array(1000).fill({ before: MaruError.offline() });
    await box.open('7');
    await box.add({ ...message('reply'), thread: 5 });
    await box.add({ ...message('both'), thread: 5, toRoom: true });
    await box.add(message('room'));
    assert.deepEqual(box.of('channel-1').map((each) => each.content), ['both', 'room']);
    assert.deepEqual(box.of('channel-1', 5).map((each) => each.content), ['reply', 'both']);
    box.close();
});

test('A message that cannot be stored is sent all the same', async () => {
    const server = new Server(), storage = new MemoryStorage();
    storage.set = async () => {
        throw new DOMException('full', 'QuotaExceededError');
    };
    const box = outbox(server, storage);
    await box.open('7');
    const done = sent(box, 1);
    await box.add({ ...message('a photo'), files: [{}] });
    await done;
    assert.deepEqual([server.contents, box.of('channel-1')], [['a photo'], []]);
});

test('A token that stays refused does not make the outbox ask without a pause', async () => {
    const server = new Server();
    const box = new Outbox({ storage: new MemoryStorage(), send: server.send, backoff: () => ({ next: () => 1_000_000, reset() {} }) });
    for (let count = 0; count < 100; count += 1) server.failures.push({ before: new MaruError('E05', { status: 401 }) });
    await box.open('7');
    await box.add(message('later'));
    for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate);
    box.close();
    assert.equal(server.failures.length, 99);
});

test('A message that another tab has discarded is not sent by this one', async () => {
    const server = new Server(), storage = new MemoryStorage();
    server.failures = [{ before: MaruError.offline() }, { before: MaruError.offline() }];
    const make = () => new Outbox({ storage, send: server.send, backoff: () => ({ next: () => 1_000_000, reset() {} }) });
    const one = make(), two = make();
    await one.open('7');
    const entry = await one.add(message('no'));
    await two.open('7');
    while (server.failures.length) await new Promise(setImmediate);
    await one.remove(entry.id);
    const left = new Promise((resolve) => two.on('changed', () => two.isEmpty && resolve()));
    two.wake();
    await left;
    one.close();
    assert.deepEqual(server.contents, []);
});

test('A message that cannot be stored is sent again on demand', async () => {
    const server = new Server(), storage = new MemoryStorage();
    storage.set = async () => {
        throw new DOMException('full', 'QuotaExceededError');
    };
    const box = outbox(server, storage);
    server.failures = [{ before: new MaruError('E11', { status: 400 }) }];
    await box.open('7');
    const entry = await box.add({ ...message('a photo'), files: [{}] });
    while (entry.state !== 'failed') await box.next('changed');
    const done = sent(box, 1);
    await box.retry(entry.id);
    await done;
    assert.deepEqual(server.contents, ['a photo']);
});

const unreadable = { slice: () => ({ arrayBuffer: () => Promise.reject(new DOMException('changed', 'NotReadableError')) }) };

test('A message with a file that was deleted since it was chosen fails, and the next ones are sent', async () => {
    const server = new Server(), box = outbox(server);
    // A browser tells of it as of a lost network.
    server.failures = [{ before: MaruError.offline() }];
    await box.open('7');
    const done = sent(box, 1);
    await box.add({ ...message('a photo'), files: [unreadable] });
    await box.add(message('fine'));
    await done;
    assert.deepEqual(server.contents, ['fine']);
    assert.deepEqual(box.of('channel-1').map((each) => [each.content, each.state, each.error.code]), [['a photo', 'failed', 'file']]);
});

test('A file that was deleted since it was chosen is sent from the storage', async () => {
    const server = new Server(), storage = new MemoryStorage(), tried = [], copy = new Blob(['a']);
    storage.get = async () => ({ files: [copy] });
    server.failures = [{ before: MaruError.offline() }];
    const box = outbox({ send: (entry) => (tried.push(...entry.files), server.send(entry)) }, storage);
    await box.open('7');
    const done = sent(box, 1);
    await box.add({ ...message('a photo'), files: [unreadable] });
    await done;
    assert.deepEqual(tried, [unreadable, copy]);
});

test('A user who signs out while the outbox is opened leaves nothing for the next one to send', async () => {
    const server = new Server(), storage = new MemoryStorage(), before = outbox(server, storage);
    server.failures = [{ before: MaruError.offline() }];
    await before.open('7');
    await before.add(message('from 7'));
    before.close();
    await new Promise(setImmediate);
    let read;
    const kept = await storage.all('outbox/7/');
    const slow = Object.create(storage, { all: { value: (prefix) => (prefix === 'outbox/7/' ? new Promise((resolve) => (read = () => resolve(kept))) : storage.all(prefix)) } });
    for (const name of ['get', 'set', 'remove']) slow[name] = (...all) => storage[name](...all);
    const box = outbox(new Server(), slow);
    const first = box.open('7');
    box.close();
    await box.open('8');
    read();
    await first;
    assert.deepEqual([kept.length, box.isEmpty], [1, true]);
});
