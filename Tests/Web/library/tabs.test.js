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
    open(user) {
        const token = jwt(user, (this.number += 1));
        this.sessions.set(token, user);
        this.cookie = user;
        return { accessToken: token, refreshToken: '' };
    }
    fetch = async (url, { method, headers, body }) => {
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
function tab(server, storage) {
    class Blocked { constructor() { queueMicrotask(() => this.onclose?.()); } close() {} }
    const client = new MaruClient({ base: 'http://x', key: 'native', keeps: 'cookie', storage, fetch: server.fetch, locks: null,
        engine: { WebSocket: Blocked, transports: ['websocket'] } });
    client.session.on('changed', (user) => user && client.start());
    return client;
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
