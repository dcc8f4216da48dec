import { roomOf } from './rooms.js';

/** The server's name of everybody whose account was deleted. */
export const NOBODY = '탈퇴한 사용자';

const HANDLERS = {
    message(store, data) {
        const { room, message } = data;
        const isNews = message.seq > (store.told.get(room) ?? 0);
        if (isNews) store.told.set(room, message.seq);
        store.take(room, message, { live: true });
        store.timelines.get(room)?.follow({ seq: message.seq });
        if (isNews && String(message.user.user_id) !== String(store.me) && !store.isHidden(message)) store.emit('message', data);
    },
    changed(store, { room, message }) {
        store.take(room, message);
        store.timelines.get(room)?.follow({ rev: message.rev });
    },
    read: (store, data) => store.markRead(data),
    typing: (store, data) => store.typed(data),
    presence(store, { users }) {
        for (const [user, state] of Object.entries(users)) store.presence.set(user, state);
        store.emit('presence');
    },
    badge: (store, data) => store.setUnread(data),
    left: (store, { room }) => store.removeRoom(typeof room === 'string' ? room : roomOf(room).key),
    room(store, { type, room, name, owner_id }) {
        if (type === 'deleted' && store.rooms.has(room)) store.removeRoom(room);
        else if (type === 'edited' && name) store.update(room, { name, ownerId: owner_id });
    },
    /** One without a name is to be read again. */
    workspace(store, { type, ...view }) {
        if (type === 'gone' || type === 'deleted') store.removeWorkspace(view.workspace_id);
        else if (view.name) store.putWorkspace(view);
    },
    member: (store, data) => learn(store, data),
    profile: (store, data) => learn(store, data.nickname ? data : { ...data, email: '', nickname: NOBODY, profileImage: null }),
};

function learn(store, { user_id, email, nickname, profileImage }) {
    if (nickname) store.learn({ user_id, email, nickname, profileImage });
}

/** Applies an event of `/me` to a store. Events that only ask to read something again change nothing. */
export const applyEvent = (store, { name, data }) => HANDLERS[name]?.(store, data);
