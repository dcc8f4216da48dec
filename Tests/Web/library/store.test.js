import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Store } from '../../../Web/maru/store.js';
import { withReaction } from '../../../Web/maru/rooms.js';

const anna = { user_id: '1', nickname: '안나' };
const ben = { user_id: '2', nickname: '벤' };
const message = (seq, user, more = {}) => ({ seq, rev: 0, content: `m${seq}`, createdAt: '2026-01-01T00:00:00.000Z', files: [], reactions: [], user, ...more });

function store() {
    const made = new Store({ later: () => {} });
    made.me = '1';
    made.setWorkspaces([{ workspace_id: '9', name: 'home' }]);
    made.setRooms('9', [{ channel_id: '3', name: '일반', lastSeq: 10, lastReadSeq: 10, unreadCount: 0, rev: 4, lastMessage: message(10, ben) }]);
    return made;
}

const KEY = 'channel-3';
const live = (made, name, data) => made.apply({ name, data: { room: KEY, ...data } });

test('A live message counts as unread once, a repeated one not at all', () => {
    const made = store();
    for (let time = 0; time < 2; time += 1) live(made, 'message', { message: message(11, ben, { mentions: [{ type: 'user', user_id: '1' }] }) });
    const room = made.rooms.get(KEY);
    assert.deepEqual([room.unreadCount, room.mentionCount, room.lastSeq], [1, 1, 11]);
    assert.deepEqual(made.badge('9'), { unreadCount: 1, mentionCount: 1 });
});

test('A message that a list of rooms or an own message has overtaken is still told, once', () => {
    const made = store();
    const told = [];
    made.on('message', (event) => told.push(event.message.seq));
    made.setRooms('9', [{ channel_id: '3', name: '일반', lastSeq: 11, lastReadSeq: 10, unreadCount: 1, rev: 4 }]);
    live(made, 'message', { message: message(11, ben) });
    made.take(KEY, message(13, anna));
    for (const each of [message(12, ben), message(12, ben), message(13, anna)]) live(made, 'message', { message: each });
    assert.deepEqual([told, made.rooms.get(KEY).unreadCount], [[11, 12], 0]);
});

test('@here counts as a mention while the user is present', () => {
    const made = store();
    const here = (seq) => live(made, 'message', { message: message(seq, ben, { mentions: [{ type: 'here' }] }) });
    here(11);
    made.isActive = false;
    here(12);
    made.isActive = true;
    made.changeSettings({ presence: false });
    here(13);
    live(made, 'message', { message: message(14, ben, { mentions: [{ type: 'room' }] }) });
    assert.deepEqual([made.rooms.get(KEY).unreadCount, made.rooms.get(KEY).mentionCount], [4, 2]);
});

test('An own message reads the room', () => {
    const made = store();
    live(made, 'message', { message: message(11, ben) });
    live(made, 'message', { message: message(12, anna) });
    assert.deepEqual([made.rooms.get(KEY).unreadCount, made.rooms.get(KEY).lastReadSeq], [0, 12]);
});

test('A read on another device clears the count, and an old one does nothing', () => {
    const made = store();
    live(made, 'message', { message: message(11, ben) });
    live(made, 'read', { user_id: '1', seq: 9, unreadCount: 5 });
    assert.equal(made.rooms.get(KEY).unreadCount, 1);
    live(made, 'read', { user_id: '1', seq: 11, unreadCount: 0, mentionCount: 0 });
    assert.equal(made.rooms.get(KEY).unreadCount, 0);
});

test('A list of rooms that was overtaken by a read does not bring the count back', () => {
    const made = store();
    live(made, 'message', { message: message(11, ben) });
    made.update(KEY, { lastReadSeq: 11, unreadCount: 0 });
    made.setRooms('9', [{ channel_id: '3', name: '일반', lastSeq: 11, lastReadSeq: 10, unreadCount: 1 }]);
    assert.equal(made.rooms.get(KEY).unreadCount, 0);
});

test('A list of rooms that was overtaken by a message does not take it back', () => {
    const made = store();
    live(made, 'message', { message: message(11, ben) });
    made.setRooms('9', [{ channel_id: '3', name: '일반', lastSeq: 10, lastReadSeq: 10, unreadCount: 0 }]);
    assert.deepEqual([made.rooms.get(KEY).lastSeq, made.rooms.get(KEY).unreadCount], [11, 1]);
});

test('A reply that stays in its thread is neither shown nor counted in the room', () => {
    const made = store();
    made.page(KEY, [message(10, ben)], (timeline, page) => timeline.open(page, { atStart: true, atEnd: true }));
    made.page(`${KEY}/10`, [message(10, ben)], (timeline, page) => timeline.open(page, { atStart: true, atEnd: true }));
    live(made, 'message', { message: message(11, ben, { thread: { root: 10 } }) });
    live(made, 'message', { message: message(12, ben, { thread: { root: 10, toRoom: true } }) });
    assert.deepEqual(made.timeline(KEY).messages.map((each) => each.seq), [10, 12]);
    assert.deepEqual(made.timeline(`${KEY}/10`).messages.map((each) => each.seq), [10, 11, 12]);
    assert.equal(made.rooms.get(KEY).unreadCount, 1);
});

test('Events mark the own reactions, of more than twenty users by the held message', () => {
    const made = store();
    const mine = { emoji: '👍', count: 30, users: ['5', '6'], mine: true };
    made.page(KEY, [message(10, ben, { rev: 1, reactions: [mine] })], (timeline, page) => timeline.open(page, { atStart: true, atEnd: true }));
    const { mine: _, ...unmarked } = mine;
    live(made, 'changed', { message: message(10, ben, { rev: 2, reactions: [{ ...unmarked, count: 31 }, { emoji: '🎉', count: 1, users: ['1'] }] }) });
    assert.deepEqual(made.timeline(KEY).get(10).reactions.map((each) => each.mine), [true, true]);
});

test('Cursors name what is held: the head and the revision of each loaded room', () => {
    const made = store();
    assert.deepEqual(made.cursors(), {});
    made.page(KEY, [message(10, ben)], (timeline, page) => timeline.open(page, { atStart: true, atEnd: true, rev: 4 }));
    live(made, 'message', { message: message(11, ben) });
    live(made, 'changed', { message: message(10, ben, { rev: 5 }) });
    assert.deepEqual(made.cursors(), { [KEY]: [11, 5] });
});

test('A room that the caller left is gone with its messages', () => {
    const made = store();
    made.timeline(KEY);
    live(made, 'left', {});
    assert.deepEqual([made.rooms.size, made.timelines.size], [0, 0]);
});

test('Typing ends after six seconds and with a message', () => {
    let now = 0;
    const made = new Store({ now: () => now, later: () => {} });
    made.me = '1';
    live(made, 'typing', { user_id: '2' });
    assert.deepEqual(made.typing(KEY), ['2']);
    live(made, 'message', { message: message(11, ben) });
    assert.deepEqual(made.typing(KEY), []);
    live(made, 'typing', { user_id: '2' });
    now = 6001;
    assert.deepEqual(made.typing(KEY), []);
});

test('A reaction is added once and its last one takes the emoji away', () => {
    const once = withReaction(message(1, ben), '👍', '1', true);
    assert.deepEqual(once.reactions, [{ emoji: '👍', count: 1, users: ['1'], mine: true }]);
    assert.equal(withReaction(once, '👍', '1', true), once);
    assert.deepEqual(withReaction(once, '👍', '1', false).reactions, []);
});

test('Events about rooms, workspaces and people change what is held, and nothing else', () => {
    const store = new Store();
    store.setWorkspaces([{ workspace_id: '1', name: 'One', owner_id: '9' }, { workspace_id: '2', name: 'Two' }]);
    store.setRooms('1', [{ channel_id: '5', name: 'plans' }, { channel_id: '6', name: 'rest' }]);
    store.apply({ name: 'room', data: { type: 'edited', room: 'channel-5', workspace_id: '1', name: 'decisions', owner_id: '3' } });
    assert.deepEqual([store.rooms.get('channel-5').name, store.rooms.get('channel-5').ownerId], ['decisions', '3']);
    store.apply({ name: 'room', data: { type: 'created', room: 'channel-7', workspace_id: '1', name: 'not mine' } });
    store.apply({ name: 'room', data: { type: 'deleted', room: 'channel-6', workspace_id: '1' } });
    assert.deepEqual([...store.rooms.keys()], ['channel-5']);
    store.apply({ name: 'workspace', data: { type: 'edited', workspace_id: '1', name: 'Uno' } });
    assert.deepEqual(store.workspaces.get('1'), { workspace_id: '1', name: 'Uno', owner_id: '9' });
    store.apply({ name: 'profile', data: { type: 'edited', user_id: '3', nickname: 'Ada', email: 'a@x' } });
    store.apply({ name: 'profile', data: { type: 'deleted', user_id: '3' } });
    assert.equal(store.users.get('3').nickname, '탈퇴한 사용자');
    store.apply({ name: 'workspace', data: { type: 'gone', workspace_id: '1' } });
    assert.deepEqual([[...store.workspaces.keys()], store.rooms.size], [['2'], 0]);
});

test('The badge is the one of the server, and what is known without it', () => {
    const store = new Store();
    store.setRooms('1', [{ channel_id: '5', name: 'a', unreadCount: 2, mentionCount: 1 }]);
    store.threads.set('1', { unreadCount: 3, mentionCount: 0 });
    assert.equal(store.knownUnread(), 5);
    store.apply({ name: 'badge', data: { unreadCount: 7, mentionCount: 1 } });
    assert.equal(store.unread.unreadCount, 7);
    assert.deepEqual([5, 7].map((unreadCount) => store.knows({ unreadCount, mentionCount: 1 })), [true, false]);
    // Of @here the server may know better.
    assert.equal(store.knows({ unreadCount: 5, mentionCount: 2 }), false);
});

test('Opening a DM that is held leaves its draft, its level and its mute', () => {
    const made = store(), mutedUntil = '2099-01-01T00:00:00.000Z';
    made.setRooms('9', [{ room_id: '5', user: ben, lastSeq: 3, lastReadSeq: 3, notify: 'none', mutedUntil, draft: { content: 'Half' }, threadDrafts: [{ thread: 2, content: 'a' }] }]);
    made.addRoom({ workspace_id: '9', room_id: '5', createdAt: mutedUntil, user: { ...ben, nickname: '벤자민' } }, '9');
    const { draft, notify, mutedUntil: until, threadDrafts, user } = made.rooms.get('dm-5');
    assert.deepEqual([draft?.content, notify, until, threadDrafts.length, user.nickname], ['Half', 'none', mutedUntil, 1, '벤자민']);
});
