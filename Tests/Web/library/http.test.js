import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Api } from '../../../Web/maru/http.js';

test('An upload that was cancelled before it is sent is not sent', async () => {
    const api = new Api({ base: 'http://maru.test', key: 'native' });
    const made = [];
    api.XHR = class {
        upload = {};
        constructor() { made.push(this); }
    };
    const cancelled = api.post('/files', 'a', { signal: AbortSignal.abort(), progress() {}, open: true });
    await assert.rejects(cancelled, { name: 'AbortError' });
    assert.equal(made.length, 0);
});

/** Timers that ring when a test says so. */
class Timers {
    set = new Map();
    begun = 0;
    later = (work) => {
        const key = (this.begun += 1);
        this.set.set(key, work);
        return () => this.set.delete(key);
    };

    ring() {
        const [work] = this.set.values();
        work();
    }
}

/** A dead connection: the reply, or the rest of it, never comes. */
function dead(timers, { parts = [] } = {}) {
    const calls = [];
    const fetch = (url, { method, signal }) => {
        calls.push(method);
        const isOver = (end) => signal.addEventListener('abort', () => end(signal.reason));
        if (!parts.length) return new Promise((_, reject) => isOver(reject));
        return Promise.resolve(new Response(new ReadableStream({
            start: (stream) => {
                for (const each of parts) stream.enqueue(new TextEncoder().encode(each));
                isOver((reason) => stream.error(reason));
            },
        })));
    };
    return { api: new Api({ base: 'http://maru.test', key: 'native', fetch, later: timers.later, wait: async () => {} }), calls };
}

test('A call on a dead connection ends, and is not made again at once', async () => {
    const timers = new Timers();
    const { api, calls } = dead(timers);
    const reading = assert.rejects(api.get('/auth/refresh', null, { open: true }), (error) => error.isOffline && error.isTemporary);
    timers.ring();
    await reading;
    const writing = assert.rejects(api.post('/chats', {}, { open: true }), { code: 'E00' });
    timers.ring();
    await writing;
    assert.deepEqual(calls, ['GET', 'POST']);
    assert.equal(timers.set.size, 0);
});

test('A call that a reader cancels is cancelled and not late', async () => {
    const timers = new Timers();
    const reader = new AbortController();
    const reading = assert.rejects(dead(timers).api.get('/search', null, { open: true, signal: reader.signal }), { name: 'AbortError' });
    reader.abort();
    await reading;
    assert.equal(timers.set.size, 0);
});

test('A reply that arrives slowly goes on, and one that stands still ends', async () => {
    const timers = new Timers();
    const reading = assert.rejects(dead(timers, { parts: ['["one",', '"two"'] }).api.get('/list', null, { open: true }), { code: 'E00' });
    // One at the beginning, and one after each part.
    for (let turn = 0; timers.begun < 3; turn += 1) {
        assert.ok(turn < 100_000, 'the parts have not arrived');
        await new Promise(setImmediate);
    }
    assert.equal(timers.set.size, 1);
    timers.ring();
    await reading;
});

test('An upload goes on while anything of it is sent, and ends when it stands still', async () => {
    const timers = new Timers();
    const made = [];
    const api = new Api({ base: 'http://maru.test', key: 'native', later: timers.later });
    api.XHR = class {
        upload = {};
        constructor() { made.push(this); }
        open() {}
        setRequestHeader() {}
        send() {}
        abort() { this.onabort(); }
    };
    const body = new FormData();
    const upload = assert.rejects(api.put('/users/me/image', body, { open: true }), (error) => error.isOffline);
    const [request] = made;
    for (let loaded = 1; loaded <= 5; loaded += 1) request.upload.onprogress({ lengthComputable: true, loaded, total: 5 });
    assert.deepEqual([timers.begun, timers.set.size], [6, 1]);
    timers.ring();
    await upload;
});
