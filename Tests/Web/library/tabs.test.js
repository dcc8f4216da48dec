import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MaruClient } from '../../../Web/maru/client.js';
import { MemoryStorage } from '../../../Web/maru/storage.js';

const jwt = (user, number) => ['{"alg":"ES256"}', JSON.stringify({ sub: user, n: number })].map((each) => Buffer.from(each).toString('base64url')).join('.') + '.x';

/** A server with the refresh token in a cookie of the browser, so that all tabs share it. */
class Server {
    cookie = null;
    number = 0;
    sessions = new Map();
    posts = [];
    isDown = false;
    open(user) {
        const token = jwt(user, (this.number += 1));
        this.sessions.set(token, user);
        this.cookie = user;
        return { accessToken: token, refreshToken: '' };
    }
    fetch = async (url, { method, headers, body }) => {
        if (this.isDown) throw new TypeError('fetch failed');
        const path = url.pathname.slice(3);
        if (path === '/users/login') { const user = JSON.parse(body).email; return reply(200, { user_id: user, nickname: user, token: this.open(user) }); }
        if (path === '/auth/refresh') return this.cookie ? reply(200, this.open(this.cookie)) : reply(401, { errorCode: 'E06' });
        const user = this.sessions.get(headers.Authorization);
        if (!user) return reply(401, { errorCode: 'E05' });
        if (path === '/users/logout') { this.sessions.clear(); this.cookie = null; return reply(200, {}); }
        if (path === '/users/me') return reply(200, { user_id: user, nickname: user });
        if (path === '/workspaces') return reply(200, []);
        if (method === 'POST') { this.posts.push(`${user}: ${JSON.parse(body).content}`); return reply(200, { seq: 1, rev: 0, user: { user_id: user, nickname: user }, content: JSON.parse(body).content }); }
        return reply(404, { errorCode: 'E13' });
    };
}
/** Returns once something is true, after any number of turns. */
async function until(isTrue) {
    for (let turn = 0; !isTrue(); turn += 1) {
        assert.ok(turn < 100_000, 'this never happened');
        await new Promise(setImmediate);
    }
}

const reply = (status, body) => new Response(JSON.stringify(body), { status });
function page(server, storage) {
    class Blocked { constructor() { queueMicrotask(() => this.onclose?.()); } close() {} }
    const client = new MaruClient({ base: 'http://x', key: 'native', keeps: 'cookie', storage, fetch: server.fetch, locks: null,
        engine: { WebSocket: Blocked, transports: ['websocket'] } });
    client.api.wait = async () => {};
    return client;
}
function tab(server, storage) {
    const client = page(server, storage);
    client.session.on('changed', (user) => user && client.start());
    return client;
}
const isTemporary = (error) => error.isTemporary;
/** A page whose user has signed out while the server could not be reached. */
async function signedOut(server, storage) {
    const { session } = page(server, storage);
    await session.signIn({ email: '1', password: 'x' });
    server.isDown = true;
    await assert.rejects(session.signOut(), isTemporary);
    assert.deepEqual([session.user, session.isSigningOut], [null, true]);
    return session;
}

test('A tab of one account does nothing as the account that has signed in at another tab', async () => {
    const server = new Server(), storage = new MemoryStorage();
    const one = tab(server, storage), two = tab(server, storage);
    await one.session.signIn({ email: '1', password: 'x' });
    await two.session.restore(); // two tabs of user 1
    await until(() => one.store.me && two.store.me);
    await one.session.signOut();
    await one.session.signIn({ email: '2', password: 'x' }); // the next person at this browser
    two.store.setWorkspaces([{ workspace_id: '9', name: 'home' }]);
    two.store.setRooms('9', [{ channel_id: '3', name: 'general' }]);
    await two.say('channel-3', 'I am user 1');
    await until(() => server.posts.length || !two.session.user);
    one.stop();
    two.stop();
    assert.deepEqual([server.posts, two.session.user, two.session.isReplaced], [[], null, true]);
});

test('The end of a session elsewhere is acted on at once', async () => {
    const server = new Server();
    const client = tab(server, new MemoryStorage()), { session } = client;
    await session.signIn({ email: '1', password: 'x' });
    server.sessions.clear();
    server.cookie = null;
    const told = [];
    session.on('changed', (user) => told.push(user));
    // As the follower does at `sessionEnded`, and the live connection when its token is refused.
    await session.renewHeld().catch(() => {});
    client.stop();
    assert.deepEqual([told, session.isReplaced], [[null], false]);
});

test('A sign-out that the server does not hear of ends the session later', async () => {
    const server = new Server(), session = await signedOut(server, new MemoryStorage());
    await assert.rejects(session.token());
    await assert.rejects(session.finishSignOut(), isTemporary);
    await assert.rejects(session.signOut(), isTemporary); // again, as after a fault that was shown
    server.isDown = false;
    await session.finishSignOut();
    assert.deepEqual([server.sessions.size, server.cookie, session.isSigningOut], [0, null, false]);
});

test('A sign-out that the server does not hear of is remembered by the next visit', async () => {
    const server = new Server(), storage = new MemoryStorage();
    await signedOut(server, storage);
    const { session } = page(server, storage);
    await assert.rejects(session.restore(), isTemporary);
    server.isDown = false;
    assert.equal(await session.restore(), null);
    assert.deepEqual([server.sessions.size, server.cookie], [0, null]);
});

test('A sign-in finishes the earlier sign-out first, and a late one of another tab leaves the new session alone', async () => {
    for (const user of ['1', '2']) {
        const server = new Server(), storage = new MemoryStorage();
        const late = await signedOut(server, storage), { session } = page(server, storage);
        await assert.rejects(session.signIn({ email: user, password: 'x' }), isTemporary);
        server.isDown = false;
        await session.signIn({ email: user, password: 'x' });
        await late.finishSignOut();
        assert.deepEqual([[...server.sessions.values()], server.cookie], [[user], user]);
    }
});

test('A client outside of a browser signs out later with its kept refresh token', async () => {
    const calls = [];
    let isDown = false;
    const fetch = async (url, { headers }) => {
        if (isDown) throw new TypeError('fetch failed');
        calls.push([url.pathname.slice(3), headers.RefreshToken ?? headers.Authorization]);
        return reply(200, url.pathname.endsWith('login') ? { user_id: '1', token: { accessToken: 'a1', refreshToken: 'r1' } } : { accessToken: 'a2', refreshToken: 'r2' });
    };
    const storage = new MemoryStorage(), made = () => {
        const client = new MaruClient({ base: 'http://x', key: 'native', storage, fetch, locks: null });
        client.api.wait = async () => {};
        return client.session;
    };
    const session = made();
    await session.signIn({ email: '1', password: 'x' });
    isDown = true;
    await assert.rejects(session.signOut(), isTemporary);
    isDown = false;
    await made().finishSignOut();
    assert.deepEqual(calls.slice(1), [['/auth/refresh', 'r1'], ['/users/logout', 'a2']]);
    assert.equal(await storage.get('refresh'), undefined);
});
