import { Emitter } from './emitter.js';
import { applyEvent } from './events.js';
import { isThreadOnly, marked, mentions, roomOf } from './rooms.js';
import { Timeline } from './timeline.js';
import { Typing, TYPING_LASTS } from './typing.js';

/**
 * All that this device knows: workspaces, rooms, messages, people. Replies and events go in by the methods below; a change
 * emits an event: `workspaces`, `rooms`, `room` (a key), `timeline` (a key), `users`, `presence`, `typing` (a key), `settings`,
 * `unread`, `message` (a new one of another person), `readers` (a key).
 */
export class Store extends Emitter {
    constructor({ now = () => Date.now(), later = (work, delay) => setTimeout(work, delay) } = {}) {
        super();
        this.now = now;
        this.later = later;
        this.clear();
    }

    clear() {
        this.me = null;
        this.settings = null;
        /** Whether the user is at this device, as the client has told the server. */
        this.isActive = true;
        this.workspaces = new Map();
        /** The ids of workspaces that the server cannot reach now. Their rooms stay as they were. */
        this.unavailable = new Set();
        this.rooms = new Map();
        this.users = new Map();
        this.timelines = new Map();
        this.presence = new Map();
        this.readers = new Map();
        /** The newest message of each room that the live connection has brought. Lists and own messages may overtake it. */
        this.told = new Map();
        /** The users that were blocked on this device since the start; the server marks what it sends after a block. */
        this.blocked = new Set();
        /** The unread replies of followed threads, by workspace. */
        this.threads = new Map();
        /** The badge that the server counts over all rooms and threads: null while it is unknown. */
        this.unread = null;
        this.#typing = new Typing(this.now);
    }

    #typing;

    // Workspaces and rooms

    setWorkspaces(list) {
        this.workspaces = new Map(list.map((each) => [String(each.workspace_id), each]));
        for (const room of this.rooms.values()) if (!this.workspaces.has(room.workspace)) this.#drop(room.key);
        this.emit('workspaces');
        this.emit('rooms');
    }

    /** Takes a workspace as it is now. */
    putWorkspace(view) {
        const id = String(view.workspace_id);
        this.workspaces.set(id, { ...this.workspaces.get(id), ...view });
        this.emit('workspaces');
    }

    removeWorkspace(id) {
        if (!this.workspaces.delete(String(id))) return;
        for (const room of this.roomsOf(id)) this.#drop(room.key);
        this.threads.delete(String(id));
        this.emit('workspaces');
        this.emit('rooms');
    }

    /** Takes the workspaces that cannot be reached now, as a start names them. */
    setUnavailable(ids) {
        if (!ids.length && !this.unavailable.size) return;
        this.unavailable = new Set(ids.map(String));
        // Messages that the live connection brings of them before their rooms were read again are not new.
        for (const { key, workspace } of this.rooms.values()) if (this.unavailable.has(workspace)) this.told.set(key, Infinity);
        this.emit('workspaces');
    }

    /** Takes the rooms of a workspace, which can be reached then. `newer` adds the drafts that were written after the list was made. */
    setRooms(workspace, views, newer = (room) => room) {
        const keys = new Set();
        for (const view of views) {
            const room = newer(roomOf(view, workspace));
            const held = this.rooms.get(room.key);
            keys.add(room.key);
            // A start leaves out long drafts, and the list that is read after it has them.
            this.#put(held && view.draftsOmitted ? { ...room, draft: held.draft, threadDrafts: held.threadDrafts } : room);
        }
        for (const room of this.rooms.values()) {
            if (room.workspace === String(workspace) && !keys.has(room.key)) this.#drop(room.key);
        }
        if (this.unavailable.delete(String(workspace))) {
            this.begin(workspace);
            this.emit('workspaces');
        }
        this.emit('rooms');
    }

    /** A connection begins: what it brings up to the present of these rooms is not new. */
    begin(workspace) {
        for (const { key, lastSeq } of this.roomsOf(workspace)) this.told.set(key, lastSeq);
    }

    addRoom(view, workspace) {
        const room = roomOf(view, workspace);
        const held = this.rooms.get(room.key);
        // The reply to an opened DM has no draft, no level and no counts.
        this.#put(held ? { ...held, name: room.name, user: room.user } : room);
        this.emit('rooms');
        return this.rooms.get(room.key);
    }

    removeRoom(key) {
        this.#drop(key);
        this.emit('rooms');
    }

    #put(room) {
        const held = this.rooms.get(room.key);
        // Events and own reads may have overtaken the reply.
        if (held) room = { ...room, rev: Math.max(room.rev, held.rev) };
        if (held && (held.lastReadSeq > room.lastReadSeq || held.lastSeq > room.lastSeq)) {
            const { lastSeq, lastMessage, lastReadSeq, unreadCount, mentionCount } = held;
            room = { ...room, lastSeq, lastMessage, lastReadSeq, unreadCount, mentionCount };
        }
        if (room.user) this.learn(room.user);
        if (room.lastMessage?.user) this.learn(room.lastMessage.user);
        this.rooms.set(room.key, room);
        if (!this.told.has(room.key)) this.told.set(room.key, room.lastSeq);
        this.emit('room', room.key);
    }

    #drop(key) {
        this.rooms.delete(key);
        this.readers.delete(key);
        this.told.delete(key);
        this.timelines.delete(key);
        this.emit('room', key);
        for (const place of [...this.timelines.keys()].filter((each) => each.startsWith(`${key}/`))) {
            this.timelines.delete(place);
            this.emit('timeline', place);
        }
    }

    /** Changes some members of a room. */
    update(key, changes) {
        const room = this.rooms.get(key);
        if (!room) return;
        this.rooms.set(key, { ...room, ...changes });
        this.emit('room', key);
        this.emit('rooms');
    }

    roomsOf(workspace) {
        return [...this.rooms.values()].filter((each) => each.workspace === String(workspace));
    }

    /** The unread messages and mentions of all rooms, or of one workspace. */
    badge(workspace) {
        const rooms = workspace ? this.roomsOf(workspace) : [...this.rooms.values()];
        const sum = (name) => rooms.reduce((total, each) => total + each[name], 0);
        return { unreadCount: sum('unreadCount'), mentionCount: sum('mentionCount') };
    }

    /** The unread messages of the rooms and threads that this device knows, without those that cannot be reached: badges lack them too. */
    knownUnread() {
        return this.#known('unreadCount');
    }

    /** Whether this device knows as many unread messages and mentions as a badge of the server has. */
    knows({ unreadCount, mentionCount }) {
        return unreadCount === this.#known('unreadCount') && (mentionCount ?? this.#known('mentionCount')) === this.#known('mentionCount');
    }

    #known(name) {
        const counts = [...this.threads].map(([workspace, each]) => [workspace, each[name]]);
        for (const each of this.rooms.values()) counts.push([each.workspace, each[name]]);
        return counts.reduce((sum, [workspace, count]) => sum + (this.unavailable.has(workspace) ? 0 : count), 0);
    }

    setUnread(unread) {
        this.unread = unread;
        this.emit('unread');
    }

    // People

    learn(member) {
        const held = this.users.get(String(member.user_id));
        if (held && held.nickname === member.nickname && (held.profileImage ?? null) === (member.profileImage ?? null)) return;
        this.users.set(String(member.user_id), { ...held, ...member });
        this.emit('users');
    }

    /** The ids of the others that have read up to a message. */
    readersOf(key, seq) {
        return [...(this.readers.get(key) ?? [])].filter(([user, read]) => read >= seq && user !== this.me).map(([user]) => user);
    }

    isOnline(user) {
        return this.presence.get(String(user)) ?? 'offline';
    }

    /** Forgets the presence of all users, because changes no longer arrive. */
    forgetPresence() {
        this.presence.clear();
        this.emit('presence');
    }

    /** The ids of those typing in a room now. */
    typing(key, thread) {
        return this.#typing.in(key, thread);
    }

    /** Hides or shows the held messages of a user. */
    setBlocked(user, isBlocked) {
        if (isBlocked) this.blocked.add(String(user));
        else this.blocked.delete(String(user));
        for (const key of this.timelines.keys()) this.emit('timeline', key);
    }

    /** True if a message is of a blocked author, and so shows nothing but its place. */
    isHidden(message) {
        return !!message.blocked || this.blocked.has(String(message.user.user_id));
    }

    // Messages

    /** The timeline of a room, or of a thread by `room/root`. */
    timeline(key) {
        if (!this.timelines.has(key)) this.timelines.set(key, new Timeline());
        return this.timelines.get(key);
    }

    page(key, messages, apply) {
        const timeline = this.timeline(key);
        for (const each of messages) this.learn(each.user);
        apply(timeline, messages.map((each) => marked(each, this.me)));
        this.emit('timeline', key);
    }

    /** Takes a message of a room from a reply or an event; true if it is new to its timeline. */
    take(key, message, { live = false } = {}) {
        this.learn(message.user);
        const places = message.thread ? [`${key}/${message.thread.root}`] : [];
        if (!isThreadOnly(message)) places.push(key);
        let isNew = false;
        for (const place of [...places, `${key}/${message.seq}`]) {
            const timeline = this.timelines.get(place);
            if (!timeline) continue;
            const outcome = timeline.take(marked(message, this.me, timeline.get(message.seq)));
            if (outcome === 'ignored') continue;
            isNew ||= outcome === 'added';
            this.emit('timeline', place);
        }
        this.#summarise(key, message, live);
        this.#stoppedTyping(key, message.user.user_id);
        return isNew;
    }

    #summarise(key, message, live) {
        const room = this.rooms.get(key);
        if (!room) return;
        const changes = { rev: Math.max(room.rev, message.rev ?? 0) };
        if (!isThreadOnly(message) && message.seq >= (room.lastMessage?.seq ?? 0)) changes.lastMessage = message;
        if (message.seq > room.lastSeq) {
            changes.lastSeq = message.seq;
            const isOwn = String(message.user.user_id) === String(this.me);
            if (isOwn && !isThreadOnly(message)) Object.assign(changes, { lastReadSeq: message.seq, unreadCount: 0, mentionCount: 0 });
            else if (live && !isOwn && message.seq > room.lastReadSeq && !isThreadOnly(message) && !this.isHidden(message)) {
                changes.unreadCount = room.unreadCount + 1;
                if (mentions(message, this.me, this.isActive && this.settings?.presence !== false)) changes.mentionCount = room.mentionCount + 1;
            }
        }
        this.update(key, changes);
    }

    /** What this device holds of each loaded timeline, for a connection that resumes. */
    cursors() {
        const held = [...this.timelines].filter(([key, timeline]) => timeline.loaded && timeline.atEnd && this.rooms.has(key));
        return Object.fromEntries(held.map(([key, timeline]) => [key, [timeline.head, timeline.rev]]));
    }

    // Events of the socket

    /** Applies an event of `/me`. */
    apply(event) {
        applyEvent(this, event);
    }

    /** A user has typed in a room, or in a thread of it. */
    typed({ room, user_id, thread }) {
        if (String(user_id) === String(this.me)) return;
        this.#typing.began(room, String(user_id), thread);
        this.emit('typing', room);
        this.later(() => this.emit('typing', room), TYPING_LASTS + 50);
    }

    changeSettings(settings) {
        this.settings = settings;
        this.emit('settings');
    }

    /** A read marker has moved: the user's own, or that of another member. */
    markRead({ room, user_id, seq, unreadCount, mentionCount }) {
        if (String(user_id) === String(this.me)) {
            const held = this.rooms.get(room);
            if (!held || seq < held.lastReadSeq) return;
            this.update(room, {
                lastReadSeq: seq,
                unreadCount: unreadCount ?? (seq >= held.lastSeq ? 0 : held.unreadCount),
                mentionCount: mentionCount ?? (seq >= held.lastSeq ? 0 : held.mentionCount),
            });
        } else {
            const readers = this.readers.get(room);
            if (!readers || (readers.get(String(user_id)) ?? 0) >= seq) return;
            readers.set(String(user_id), seq);
            this.emit('readers', room);
        }
    }

    #stoppedTyping(key, user) {
        if (this.#typing.ended(key, String(user))) this.emit('typing', key);
    }
}
