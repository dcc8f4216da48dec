import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MaruClient } from '../../../Web/maru/client.js';
import { Drafts } from '../../../Web/maru/drafts.js';
import { MaruError } from '../../../Web/maru/errors.js';
import { Store } from '../../../Web/maru/store.js';

const KEY = 'channel-3';
const view = (draft, threadDrafts = []) => ({ channel_id: '3', name: 'general', lastSeq: 2, draft: draft ? { content: draft } : null, threadDrafts });
const settled = () => new Promise(setImmediate);

/** A server that holds the requests back until they are answered. */
class Server {
    draftTexts = [];
    #waiting = [];

    constructor(first) {
        this.store = new Store({ later: () => {} });
        this.store.setWorkspaces([{ workspace_id: '9', name: 'home' }]);
        this.store.setRooms('9', [view(first)]);
        this.drafts = new Drafts({ draft: (room, content) => this.#hold(content) }, this.store);
    }

    #hold(content) {
        this.draftTexts.push(content);
        return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
    }

    async take() {
        this.#waiting.shift().resolve();
        await settled();
    }

    async lose() {
        this.#waiting.shift().reject(MaruError.offline());
        await settled();
    }
}

test('A list of rooms that was asked for before a draft was stored does not bring the earlier one back', async () => {
    const server = new Server('From the tunnel');
    const asked = server.drafts.moment;
    const list = [view('From the tunnel')];
    server.drafts.save(KEY, '');
    server.store.setRooms('9', list, (room) => server.drafts.newer(room, asked));
    assert.equal(server.drafts.text(KEY), '');
    await server.take();
    server.store.setRooms('9', list, (room) => server.drafts.newer(room, asked));
    assert.equal(server.drafts.text(KEY), '');
});

test('A list that was asked for afterwards brings what another device has written since', async () => {
    const server = new Server();
    server.drafts.save(KEY, 'Half a thou');
    await server.take();
    const asked = server.drafts.moment;
    server.store.setRooms('9', [view('Half a thought')], (room) => server.drafts.newer(room, asked));
    assert.equal(server.drafts.text(KEY), 'Half a thought');
});

test('The texts of a place are stored one after the other, the newest last', async () => {
    const server = new Server();
    const done = ['H', 'Ha', 'Hal'].map((text) => server.drafts.save(KEY, text));
    assert.deepEqual([server.draftTexts, server.drafts.text(KEY)], [['H'], 'Hal']);
    await server.take();
    await server.take();
    await Promise.all(done);
    assert.deepEqual(server.draftTexts, ['H', 'Hal']);
    await server.drafts.save(KEY, 'Hal');
    assert.deepEqual(server.draftTexts, ['H', 'Hal']);
});

test('A draft that is saved again before its request fails is not taken for stored', async () => {
    const server = new Server('From the tunnel');
    const tries = Promise.allSettled([server.drafts.save(KEY, ''), server.drafts.save(KEY, '')]);
    await server.lose();
    assert.deepEqual((await tries).map((each) => each.status), ['rejected', 'rejected']);
    assert.equal(server.drafts.text(KEY), 'From the tunnel');
    const last = server.drafts.save(KEY, '');
    await server.take();
    await last;
    assert.deepEqual([server.draftTexts, server.drafts.text(KEY)], [['', ''], '']);
});

test('The drafts of threads and of their room are apart', async () => {
    const server = new Server();
    server.drafts.save(KEY, 'room');
    server.drafts.save(KEY, 'thread', 1);
    await server.take();
    await server.take();
    server.drafts.save(KEY, '', 1);
    server.store.setRooms('9', [view('room', [{ thread: 1, content: 'thread' }])], (room) => server.drafts.newer(room, server.drafts.moment));
    assert.deepEqual([server.drafts.text(KEY), server.drafts.text(KEY, 1)], ['room', '']);
});

test('A list of rooms that is under way while a draft is stored leaves it as it is', async () => {
    const client = new MaruClient({ base: 'http://localhost', key: 'key', fetch: () => {} });
    client.store.setWorkspaces([{ workspace_id: '9', name: 'home' }]);
    client.store.setRooms('9', [view('From the tunnel')]);
    let answer;
    client.routes.rooms = () => new Promise((resolve) => (answer = resolve));
    client.routes.draft = async () => {};
    const loading = client.loadRooms('9');
    await client.drafts.save(KEY, '');
    answer({ rooms: [view('From the tunnel')] });
    await loading;
    assert.equal(client.drafts.text(KEY), '');
});
