import { Drafts } from './drafts.js';
import { Emitter } from './emitter.js';
import { Follower } from './follower.js';
import { Api } from './http.js';
import { Links } from './links.js';
import { Live } from './live.js';
import { Outbox } from './outbox.js';
import { withReaction } from './rooms.js';
import { Routes } from './routes.js';
import { Session } from './session.js';
import { MemoryStorage } from './storage.js';
import { Store } from './store.js';
import { NEWEST, Timelines } from './timelines.js';
import { Watch } from './watch.js';

const LIMITS_LAST = 60_000;
const USUAL_LIMITS = { message: { characters: 10_000 }, files: { count: 5, bytes: 10_485_760 }, storage: { bytes: Infinity, used: 0 } };

/**
 * A client of one account: the session, what it knows (`store`), what it has yet to send (`outbox`) and the live connection.
 *
 * While the live connection is down it asks by HTTP for news of the current workspace and room. Emits `connection`: `live`,
 * `asking` or `offline`.
 */
export class MaruClient extends Emitter {
    #limits = USUAL_LIMITS;
    #limitsAt = 0;
    /** The number of lists that were asked for, and the newest one that was taken of each kind. */
    #asked = 0;
    #taken = new Map();

    /**
     * @param {object} options
     * @param {string} options.base the origin of the server
     * @param {string} options.key the API key; its profile must speak the native API
     * @param {'cookie'|'storage'} [options.keeps] where the refresh token stays
     * @param {object} [options.storage]
     */
    constructor({ base, key, keeps = 'storage', storage = new MemoryStorage(), fetch, XHR, engine, locks }) {
        super();
        this.session = new Session({ keeps, storage, locks });
        this.api = new Api({ base, key, session: this.session, fetch, XHR });
        this.session.api = this.api;
        this.routes = new Routes(this.api);
        this.links = new Links(this.routes, base);
        this.store = new Store();
        this.timelines = new Timelines(this.routes, this.store);
        this.drafts = new Drafts(this.routes, this.store);
        this.outbox = new Outbox({ storage, send: (entry, options) => this.#send(entry, options) });
        this.outbox.on('sent', ({ entry, message }) => this.store.take(entry.room, message));
        this.live = new Live({
            address: new URL('/socket.io/', base).href,
            token: () => this.session.token(),
            cursors: () => this.store.cursors(),
            expired: () => this.session.renewHeld().catch(() => {}),
            engine,
        });
        this.watch = new Watch(this.live, this.store);
        this.follower = new Follower(this);
        this.session.on('leaving', () => this.follower.stop());
        this.session.on('changed', (user) => user === null && this.stop());
    }

    /** Begins after the sign-in: loads the workspaces, takes up the outbox and connects. */
    async start() {
        this.store.me = String(this.session.user.user_id);
        this.store.learn(this.session.user);
        await this.loadWorkspaces();
        await this.outbox.open(this.store.me);
        // The session may have ended meanwhile.
        if (this.session.isSignedIn) this.follower.start();
    }

    stop() {
        this.follower.stop();
        this.outbox.close();
        this.store.clear();
        this.drafts.clear();
        this.links.clear();
    }

    /** Tries again at once, as after the network came back or the page was shown. */
    wake() {
        this.follower.wake();
        this.outbox.wake();
    }

    /** Notes that the system has no network, which a connection would notice late. */
    lost() {
        this.follower.lost();
    }

    /** `live`, `asking` or `offline`. */
    get connection() {
        return this.follower.connection;
    }

    /** Names the workspace and the room on the screen, which are asked for while the live connection is down. */
    focus(workspace, room) {
        this.follower.focus = { workspace, room };
    }

    // Loading

    async loadWorkspaces() {
        const workspaces = await this.#newest('workspaces', () => this.routes.workspaces());
        if (workspaces) this.store.setWorkspaces(workspaces);
    }

    async loadRooms(workspace) {
        const asked = this.drafts.moment;
        const list = await this.#newest(`rooms ${workspace}`, () => this.routes.rooms(workspace));
        if (!list) return;
        const { rooms, threads } = list;
        if (threads) this.store.threads.set(String(workspace), threads);
        this.store.setRooms(workspace, rooms, (room) => this.drafts.newer(room, asked));
    }

    /**
     * The limits of messages and files, read once in a while; those of a server with usual settings until they are known.
     * @returns {{message: {characters: number}, files: {count: number, bytes: number}, storage: {bytes: number, used: number}}}
     */
    get limits() {
        if (Date.now() - this.#limitsAt > LIMITS_LAST) {
            this.#limitsAt = Date.now();
            this.routes.limits().then((limits) => (this.#limits = limits), () => {});
        }
        return this.#limits;
    }

    // Acting

    /** Says whether the user is at this device. */
    present(isActive) {
        this.store.isActive = isActive;
        if (this.live.state === 'live') this.live.request('presence', { state: isActive ? 'active' : 'away' }).catch(() => {});
    }

    /** Adds a message to the outbox; it stands in the timeline at once. */
    say(key, content, { files, thread, toRoom } = {}) {
        const { workspace } = this.#room(key);
        return this.outbox.add({ room: key, workspace, content, files, thread, toRoom });
    }

    async edit(key, seq, content) {
        this.store.take(key, await this.routes.edit(this.#room(key), seq, content));
    }

    async remove(key, seq) {
        this.store.take(key, await this.routes.remove(this.#room(key), seq));
    }

    /** Sets one's own reaction; it is shown at once and taken back if the server refuses. */
    async react(key, message, emoji, on) {
        const shown = withReaction(message, emoji, this.store.me, on);
        this.store.take(key, shown);
        try {
            this.store.take(key, await this.routes.react(this.#room(key), message.seq, emoji, on));
        } catch (error) {
            this.store.take(key, message);
            throw error;
        }
    }

    async pin(key, seq, on) {
        this.store.take(key, await this.routes.pin(this.#room(key), seq, on));
    }

    async save(key, seq, on) {
        await this.routes.save(this.#room(key), seq, on);
    }

    async block(user) {
        await this.routes.block(user);
        this.store.setBlocked(user, true);
    }

    /** Ends a block. Messages that came without content while it lasted are loaded again. */
    async unblock(user) {
        await this.routes.unblock(user);
        this.store.setBlocked(user, false);
        const isOf = (each) => each.blocked && String(each.user.user_id) === String(user);
        const rooms = [...this.store.timelines].filter(([key, held]) => this.store.rooms.has(key) && held.messages.some(isOf));
        await Promise.all(rooms.map(([key]) => this.timelines.openAtEnd(key)));
    }

    /** Another tab of the browser changed `settings` or a `notify`. It has the same session, and the server sends the change to other sessions only. */
    changedElsewhere(name) {
        this.live.emit('event', { name, data: {} });
    }

    /** Moves the read marker of a room forward. */
    async read(key, seq) {
        const room = this.store.rooms.get(key);
        if (!room || seq <= room.lastReadSeq) return;
        const isAll = seq >= room.lastSeq || (this.store.timelines.get(key)?.atEnd && seq >= this.store.timelines.get(key).newest);
        this.store.update(key, { lastReadSeq: seq, ...(isAll ? { unreadCount: 0, mentionCount: 0 } : {}) });
        try {
            await this.routes.read(room, seq);
        } catch {
            const held = this.store.rooms.get(key);
            // The marker may have moved on meanwhile, by another device too. Otherwise the next look at the room tries again.
            if (held?.lastReadSeq !== seq) return;
            const counts = { unreadCount: held.unreadCount + room.unreadCount, mentionCount: held.mentionCount + room.mentionCount };
            this.store.update(key, { lastReadSeq: room.lastReadSeq, ...(isAll ? counts : {}) });
        }
    }

    /** Says that the user types. Does nothing while the live connection is down. */
    typing(key, thread) {
        if (this.live.state === 'live') this.live.request('typing', { room: key, thread }).catch(() => {});
    }

    async openDm(workspace, user) {
        const view = await this.routes.openDm(workspace, user);
        return this.store.addRoom(view, workspace);
    }

    /** Joins a channel by reading it. */
    async joinChannel(workspace, channel) {
        await this.routes.history({ workspace, kind: 'channel', id: channel.channel_id }, { before: NEWEST, limit: 1 });
        await this.loadRooms(workspace);
        return this.store.rooms.get(`channel-${channel.channel_id}`);
    }

    // Within

    /** Reads a list. Returns null if a list that was asked for later has come already: this one may lack a new room. */
    async #newest(name, read) {
        const number = (this.#asked += 1);
        const list = await read();
        if (number < (this.#taken.get(name) ?? 0)) return null;
        this.#taken.set(name, number);
        return list;
    }

    #room(key) {
        const room = this.store.rooms.get(key);
        if (!room) throw new Error(`There is no room ${key}.`);
        return room;
    }

    #send(entry, options) {
        const [kind, id] = entry.room.split('-');
        return this.routes.send({ workspace: entry.workspace, kind, id }, entry, options);
    }
}
