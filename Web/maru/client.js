import { Emitter } from './emitter.js';
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

const ASK_EVERY = 4000;

/**
 * A client of one account: the session, what it knows (`store`), what it has yet to send (`outbox`) and the live connection.
 *
 * While the live connection is down it asks by HTTP for news of the current workspace and room. Emits `connection`: `live`,
 * `asking` or `offline`.
 */
export class MaruClient extends Emitter {
    #asking = null;
    #focus = { workspace: null, room: null };

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
        this.connection = 'asking';
        this.outbox = new Outbox({ storage, send: (entry, options) => this.#send(entry, options) });
        this.outbox.on('sent', ({ entry, message }) => this.store.take(entry.room, message));
        this.live = new Live({
            address: new URL('/socket.io/', base).href,
            token: () => this.session.token(),
            cursors: () => this.store.cursors(),
            expired: () => this.session.renew(null).catch(() => {}),
            engine,
        });
        this.live.on('event', (event) => this.#receive(event));
        this.live.on('state', ({ state }) => this.#connected(state));
        this.session.on('changed', (user) => user === null && this.stop());
    }

    /** Begins after the sign-in: loads the workspaces, takes up the outbox and connects. */
    async start() {
        this.store.me = String(this.session.user.user_id);
        this.store.learn(this.session.user);
        await this.loadWorkspaces();
        await this.outbox.open(this.store.me);
        this.live.start();
        this.#askLater();
    }

    stop() {
        this.live.stop();
        clearTimeout(this.#asking);
        this.outbox.close();
        this.store.clear();
        this.links.clear();
    }

    /** Tries again at once, as after the network came back or the page was shown. */
    wake() {
        this.live.wake();
        this.outbox.wake();
        if (this.live.state !== 'live') this.#askLater(0);
    }

    /** Names the workspace and the room on the screen, which are asked for while the live connection is down. */
    focus(workspace, room) {
        this.#focus = { workspace, room };
    }

    // Loading

    async loadWorkspaces() {
        this.store.setWorkspaces(await this.routes.workspaces());
    }

    async loadRooms(workspace) {
        const { rooms, threads } = await this.routes.rooms(workspace);
        if (threads) this.store.threads.set(String(workspace), threads);
        this.store.setRooms(workspace, rooms);
    }

    // Acting

    /** Says whether the user is at this device. */
    present(isActive) {
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

    /** Moves the read marker of a room forward. */
    async read(key, seq) {
        const room = this.store.rooms.get(key);
        if (!room || seq <= room.lastReadSeq) return;
        const isAll = seq >= room.lastSeq || (this.store.timelines.get(key)?.atEnd && seq >= this.store.timelines.get(key).newest);
        this.store.update(key, { lastReadSeq: seq, ...(isAll ? { unreadCount: 0, mentionCount: 0 } : {}) });
        try {
            await this.routes.read(room, seq);
        } catch {
            // The next look at the room tries again.
            const { lastReadSeq, unreadCount, mentionCount } = room;
            this.store.update(key, { lastReadSeq, unreadCount, mentionCount });
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

    #room(key) {
        const room = this.store.rooms.get(key);
        if (!room) throw new Error(`There is no room ${key}.`);
        return room;
    }

    #send(entry, options) {
        const [kind, id] = entry.room.split('-');
        return this.routes.send({ workspace: entry.workspace, kind, id }, entry, options);
    }

    #receive(event) {
        const { name, data } = event;
        if (name === 'ready') this.#ready(data);
        else if (name === 'gap') this.timelines.sync(data.room).catch(() => {});
        else if (name === 'joined') this.#reload(data);
        else if (name === 'room' || name === 'workspace' || name === 'member') this.#reload(data);
        else if (name === 'profile') this.store.learn(data.user ?? data);
        else if (name === 'sessionEnded') this.session.renew(null).catch(() => {});
        else this.store.apply(event);
        this.emit('event', event);
    }

    #ready({ rooms, settings }) {
        if (settings) this.store.settings = settings;
        const byWorkspace = new Map();
        for (const room of rooms ?? []) {
            const id = String(room.workspace_id ?? room.workspace ?? this.#workspaceOf(room));
            byWorkspace.set(id, [...(byWorkspace.get(id) ?? []), room]);
        }
        for (const [workspace, list] of byWorkspace) if (this.store.workspaces.has(workspace)) this.store.setRooms(workspace, list);
        this.outbox.wake();
        // The server resumes each timeline that was named; one that did not reach its end is asked for.
        for (const [key, timeline] of this.store.timelines) if (timeline.loaded && !timeline.atEnd) this.timelines.sync(key).catch(() => {});
    }

    #workspaceOf(view) {
        return this.store.rooms.get(view.channel_id ? `channel-${view.channel_id}` : `dm-${view.room_id}`)?.workspace;
    }

    async #reload({ workspace_id, workspace }) {
        try {
            await this.loadWorkspaces();
            const id = workspace_id ?? workspace?.workspace_id ?? workspace;
            for (const each of id && typeof id !== 'object' ? [String(id)] : this.store.workspaces.keys()) {
                if (this.store.workspaces.has(each)) await this.loadRooms(each);
            }
        } catch {
            // The next event or connection brings it.
        }
    }

    #connected(state) {
        if (state === 'live') {
            clearTimeout(this.#asking);
            this.#tell('live');
        } else if (this.session.isSignedIn) {
            if (this.connection === 'live') this.#tell('asking');
            this.#askLater();
        }
    }

    #askLater(milliseconds = ASK_EVERY) {
        clearTimeout(this.#asking);
        this.#asking = setTimeout(() => this.#ask(), milliseconds);
    }

    async #ask() {
        if (this.live.state === 'live' || !this.session.isSignedIn) return;
        const { workspace, room } = this.#focus;
        try {
            if (workspace) await this.loadRooms(workspace);
            else await this.loadWorkspaces();
            if (room) await this.timelines.sync(room);
            if (this.live.state !== 'live') this.#tell('asking');
            if (this.connection === 'asking') this.outbox.flush();
        } catch (error) {
            if (error.isOffline) this.#tell('offline');
        }
        if (this.live.state !== 'live' && this.session.isSignedIn) this.#askLater();
    }

    #tell(connection) {
        if (connection === this.connection) return;
        if (this.connection === 'offline') this.outbox.wake();
        this.connection = connection;
        this.emit('connection', connection);
    }
}
