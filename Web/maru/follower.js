import { Backoff } from './backoff.js';

const ASK_EVERY = 4000;
const RELOAD_AFTER = 200;
/** Messages and read markers that a badge counts may arrive after it. */
const SETTLE = 1500;

/** Events after which workspaces and rooms are read again: they only name the room. */
const RELOADING = new Set(['joined', 'left', 'draft', 'notify']);

/** Keeps the store of a client up to date: by the events of the live connection, or by asking while that is down. */
export class Follower {
    #asking = null;
    #reloading = null;
    /** True if the reading to come is not for a badge alone. */
    #isNeeded = false;
    /** When the connection was begun, by the moments of `Drafts`. */
    #begun = 0;
    /** The number of the connection, to tell that it has ended. */
    #connections = 0;
    /** Whether an earlier connection was ready. */
    #isBack = false;
    /** The rooms that the start of the connection lacks because they cannot be reached, and the workspaces that are back since. */
    #absent = new Set();
    #returned = new Set();
    #patience = new Backoff({ first: 2000 });
    /** The workspace and the room to ask for. */
    focus = { workspace: null, room: null };
    connection = 'asking';

    constructor(client) {
        this.client = client;
        client.live.on('event', (event) => this.#receive(event));
        client.live.on('state', ({ state }) => this.#connected(state));
    }

    start() {
        this.client.live.start();
        this.#askLater();
    }

    stop() {
        this.client.live.stop();
        clearTimeout(this.#asking);
        clearTimeout(this.#reloading);
        this.#reloading = null;
        this.#isNeeded = false;
        this.#isBack = false;
        this.#absent.clear();
        this.#returned.clear();
        this.focus = { workspace: null, room: null };
        this.connection = 'asking';
    }

    wake() {
        this.client.live.wake();
        if (this.client.live.state !== 'live') this.#askLater(0);
    }

    lost() {
        this.client.live.drop();
        this.#tell('offline');
    }

    #receive(event) {
        const { name, data } = event;
        if (name === 'ready') this.#ready(data);
        else if (name === 'gap') this.#insist(() => this.client.timelines.fill(data));
        else if (name === 'settings') this.#readSettings();
        else if (name === 'sessionEnded') this.client.session.renewHeld().catch(() => {});
        else this.client.store.apply(event);
        if (name === 'joined') this.#joined(data.room);
        // A workspace without a view is to be read again, and the counts of threads come with the rooms.
        const isBare = name === 'workspace' && data.type !== 'gone' && data.type !== 'deleted' && !data.name;
        const isBehind = name === 'badge' && !this.client.store.knows(data);
        if (RELOADING.has(name) || isBare || isBehind) this.#reloadLater(isBehind ? SETTLE : RELOAD_AFTER);
        this.client.emit('event', event);
    }

    /** Another device changed the settings: the event does not carry them. */
    async #readSettings() {
        try {
            this.client.store.changeSettings(await this.client.routes.settings());
        } catch {
            // The next connection brings them.
        }
    }

    #ready({ rooms, settings, unavailable }) {
        if (settings) this.client.store.settings = settings;
        this.#returned.clear();
        this.client.store.setUnavailable(unavailable ?? []);
        this.#absent = new Set((unavailable ?? []).flatMap((each) => this.client.store.roomsOf(each)).map((each) => each.key));
        // Long drafts come with the lists of rooms alone.
        if (rooms?.some((each) => each.draftsOmitted)) this.#reloadLater();
        const byWorkspace = new Map();
        for (const room of rooms ?? []) {
            const id = String(room.workspace_id ?? room.workspace ?? this.#workspaceOf(room));
            byWorkspace.set(id, [...(byWorkspace.get(id) ?? []), room]);
        }
        for (const [workspace, list] of byWorkspace) {
            if (!this.client.store.workspaces.has(workspace)) {
                this.#reloadLater();
                continue;
            }
            this.client.store.setRooms(workspace, list, (room) => this.client.drafts.newer(room, this.#begun));
            this.client.store.begin(workspace);
        }
        // A workspace without rooms may have been lost meanwhile.
        const { workspaces, unavailable: lost } = this.client.store;
        if ([...workspaces.keys()].some((each) => !byWorkspace.has(each) && !lost.has(each))) this.#reloadLater();
        this.client.outbox.wake();
        this.#resume((key) => !this.#absent.has(key));
        this.#isBack = true;
    }

    /** Brings rooms up to date that are within reach since the connection began, or since now. */
    #resume(isMeant) {
        const { store, timelines } = this.client;
        // The server resumes each timeline that was named; the others are asked for.
        for (const [place, { loaded }] of store.timelines) {
            const [key, root] = place.split('/');
            if (!store.rooms.has(key) || !isMeant(key) || this.client.live.named[key]) continue;
            if (!root) this.#insist(() => timelines.resume(key));
            else if (loaded) this.#insist(() => store.timelines.has(place) && timelines.openThread(key, Number(root)));
        }
        // Read markers that moved meanwhile are not sent again.
        const { room } = this.focus;
        if (this.#isBack && store.rooms.has(room) && isMeant(room)) this.#insist(() => timelines.loadReaders(room));
    }

    /** A room that was out of reach is back, and so is its workspace; a room that nobody knows here may be of any. */
    #joined(key) {
        const { store } = this.client;
        const workspace = store.rooms.get(key)?.workspace;
        for (const each of store.unavailable) if (!workspace || each === workspace) this.#returned.add(each);
        if (this.#absent.delete(key)) this.#resume((each) => each === key);
    }

    /** Repeats work that fails for a while, as long as the connection lasts. */
    async #insist(work) {
        const connection = this.#connections;
        const backoff = new Backoff({ first: 1000 });
        while (connection === this.#connections) {
            try {
                return await work();
            } catch (error) {
                if (!error.isTemporary) return undefined;
                await new Promise((resolve) => setTimeout(resolve, Math.max(error.retryAfter * 1000, backoff.next())));
            }
        }
    }

    #workspaceOf(view) {
        return this.client.store.rooms.get(view.channel_id ? `channel-${view.channel_id}` : `dm-${view.room_id}`)?.workspace;
    }

    /**
     * Reads the workspaces and the rooms of the loaded ones again, once for several events; for a badge unless it fits in the end. Those
     * that cannot be reached are left out until one of their rooms is back.
     */
    #reloadLater(milliseconds = RELOAD_AFTER) {
        if (milliseconds === SETTLE && this.#reloading) return;
        if (milliseconds !== SETTLE) this.#isNeeded = true;
        clearTimeout(this.#reloading);
        this.#reloading = setTimeout(async () => {
            const isNeeded = this.#isNeeded;
            this.#reloading = null;
            this.#isNeeded = false;
            if (!isNeeded && this.client.store.knows(this.client.store.unread ?? {})) return;
            try {
                const { store } = this.client;
                const loaded = new Set([...store.rooms.values()].map((each) => each.workspace));
                if (this.focus.workspace) loaded.add(this.focus.workspace);
                for (const each of store.unavailable) loaded.delete(each);
                for (const each of this.#returned) loaded.add(each);
                await this.client.loadWorkspaces();
                await this.#loadRooms([...loaded].filter((each) => store.workspaces.has(each)));
                this.#patience.reset();
            } catch (error) {
                // The next connection brings it, and no event might come on this one.
                if (!error.isTemporary || this.client.live.state !== 'live') return;
                this.#isNeeded = true;
                // A reading that waits for a badge alone takes the place of this one.
                if (!this.#reloading) this.#reloadLater(Math.max(error.retryAfter * 1000, this.#patience.next()));
            }
        }, milliseconds);
    }

    /** Reads the rooms of workspaces. One that cannot be read does not hold up the others. */
    async #loadRooms(workspaces) {
        let failure = null;
        for (const each of workspaces) {
            try {
                await this.client.loadRooms(each);
                this.#returned.delete(each);
            } catch (error) {
                // The next call would fare as this one.
                if (error.isOffline || error.code === 'E98') throw error;
                if (!failure?.isTemporary) failure = error;
            }
        }
        if (failure) throw failure;
    }

    #connected(state) {
        this.#connections += 1;
        if (state === 'connecting') this.#begun = this.client.drafts.moment;
        if (state === 'live') {
            clearTimeout(this.#asking);
            this.#tell('live');
        } else if (this.client.session.isSignedIn) {
            this.client.store.setUnread(null);
            if (this.connection === 'live') this.#tell('asking');
            this.#askLater();
        }
    }

    #askLater(milliseconds = ASK_EVERY) {
        clearTimeout(this.#asking);
        this.#asking = setTimeout(() => this.#ask(), milliseconds);
    }

    async #ask() {
        if (this.client.live.state === 'live' || !this.client.session.isSignedIn) return;
        try {
            await this.#readFocus();
            if (this.client.live.state !== 'live') this.#tell('asking');
            // The system may have been wrong about its network.
            if (this.client.live.isHeld) this.client.live.wake();
            if (this.connection === 'asking') this.client.outbox.flush();
        } catch (error) {
            if (error.isOffline) this.#tell('offline');
        }
        if (this.client.live.state !== 'live' && this.client.session.isSignedIn) this.#askLater();
    }

    async #readFocus() {
        const { workspace, room } = this.focus;
        if (!workspace) return this.client.loadWorkspaces();
        try {
            await this.client.loadRooms(workspace);
        } catch (error) {
            // The user may have lost the workspace.
            if (error.code !== 'E13') throw error;
            return this.client.loadWorkspaces();
        }
        return room && this.client.timelines.sync(room);
    }

    #tell(connection) {
        if (connection === this.connection) return;
        if (this.connection === 'offline') this.client.outbox.wake();
        this.connection = connection;
        this.client.emit('connection', connection);
    }
}
