import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Api } from '../../../Web/maru/http.js';
import { Session } from '../../../Web/maru/session.js';
import { MemoryStorage } from '../../../Web/maru/storage.js';

/** A server of tokens: `a1`, `a2` … with one valid refresh token at a time, as a profile that rotates has. */
class Server {
    number = 0;
    refreshes = 0;
    calls = [];
    waits = [];
    answers = [];

    fetch = async (url, { method, headers }) => {
        const { pathname } = new URL(url);
        this.calls.push(`${method} ${pathname}`);
        if (pathname === '/v1/users/login') return reply(200, { user_id: '1', nickname: '안나', token: this.#next() });
        if (pathname === '/v1/auth/refresh') {
            this.refreshes += 1;
            return headers.RefreshToken === `r${this.number}` ? reply(200, this.#next()) : reply(401, { errorCode: 'E06' });
        }
        if (headers.Authorization !== `a${this.number}`) return reply(401, { errorCode: 'E05' });
        return this.answers.shift() ?? reply(200, { user_id: '1', nickname: '안나' });
    };

    expire() {
        this.isExpired = true;
        this.number += 0.5;
    }

    #next() {
        this.number = Math.floor(this.number) + 1;
        return { accessToken: `a${this.number}`, refreshToken: `r${this.number}` };
    }
}

const reply = (status, body, headers = {}) => new Response(JSON.stringify(body), { status, headers });

function client(server, storage = new MemoryStorage()) {
    const session = new Session({ keeps: 'storage', storage, locks: null });
    const api = new Api({ base: 'http://x', key: 'native', session, fetch: server.fetch, wait: async (time) => server.waits.push(time) });
    session.api = api;
    return { session, api };
}

test('An expired token is renewed once for all calls that meet it', async () => {
    const server = new Server();
    const { session, api } = client(server);
    await session.signIn({ email: 'a@b.kr', password: 'x' });
    await session.storage.set('refresh', 'r1.5');
    server.expire();
    await Promise.all([api.get('/one'), api.get('/two'), api.get('/three')]);
    assert.equal(server.refreshes, 1);
});

test('A later visit takes up the session', async () => {
    const server = new Server(), storage = new MemoryStorage();
    await client(server, storage).session.signIn({ email: 'a@b.kr', password: 'x' });
    const { session } = client(server, storage);
    assert.equal((await session.restore()).nickname, '안나');
    assert.equal(await client(server, new MemoryStorage()).session.restore(), null);
});

test('A session that ended is told once and forgotten', async () => {
    const server = new Server();
    const { session, api } = client(server);
    await session.signIn({ email: 'a@b.kr', password: 'x' });
    const told = [];
    session.on('changed', (user) => told.push(user));
    server.number = 40;
    await assert.rejects(api.get('/one'), (error) => error.code === 'E06');
    assert.deepEqual(told, [null]);
    assert.equal(await session.storage.get('refresh'), undefined);
});

test('A GET waits as long as the server asks; nothing else is repeated', async () => {
    const server = new Server();
    const { session, api } = client(server);
    await session.signIn({ email: 'a@b.kr', password: 'x' });
    const busy = () => reply(429, { errorCode: 'E98' }, { 'Retry-After': '2' });
    server.answers = [busy()];
    await api.get('/one');
    assert.deepEqual(server.waits, [2000]);
    server.answers = [busy()];
    await assert.rejects(api.post('/one', {}), (error) => error.code === 'E98' && error.retryAfter === 2);
});

test('A lost network is a temporary failure, not the end of the session', async () => {
    const server = new Server();
    const { session, api } = client(server);
    await session.signIn({ email: 'a@b.kr', password: 'x' });
    api.fetch = async () => {
        throw new TypeError('fetch failed');
    };
    await assert.rejects(api.post('/one', {}), (error) => error.isOffline && error.isTemporary);
    assert.equal(session.isSignedIn, true);
});

test('Leaving ends reads on the way, so that none of them meets the session that is gone', async () => {
    const server = new Server();
    const { session, api } = client(server);
    await session.signIn({ email: 'a@b.kr', password: 'x' });
    const open = server.fetch, order = [];
    session.on('leaving', (where) => order.push(where));
    api.fetch = (url, request) => url.pathname !== '/v1/slow' ? (order.push(url.pathname), open(url, request)) : new Promise((_, reject) => {
        request.signal.addEventListener('abort', () => (order.push('ended'), reject(request.signal.reason)));
    });
    const read = assert.rejects(api.get('/slow'), (error) => error.name === 'AbortError');
    await new Promise((resolve) => setImmediate(resolve));
    await session.signOut();
    await read;
    assert.deepEqual(order, ['here', 'ended', '/v1/users/logout']);
    assert.equal(session.isSignedIn, false);
});
