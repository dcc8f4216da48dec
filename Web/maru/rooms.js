/** The form in which the store holds rooms and messages. */

/**
 * @param {object} view a room as in `GET /v1/workspaces/{id}/rooms`
 * @param {string} workspace
 * @returns {Room}
 */
export function roomOf(view, workspace = view.workspace_id) {
    const kind = view.channel_id ? 'channel' : 'dm';
    const id = view.channel_id ?? view.room_id;
    return {
        key: `${kind}-${id}`,
        kind,
        id,
        workspace: String(workspace),
        name: view.name ?? view.user?.nickname ?? '',
        user: view.user ?? null,
        ownerId: view.owner_id,
        lastMessage: view.lastMessage ?? null,
        lastSeq: view.lastSeq ?? view.lastMessage?.seq ?? 0,
        rev: view.rev ?? 0,
        lastReadSeq: view.lastReadSeq ?? view.readSeq ?? 0,
        unreadCount: view.unreadCount ?? 0,
        mentionCount: view.mentionCount ?? 0,
        notify: view.notify ?? 'all',
        mutedUntil: view.mutedUntil ?? null,
        draft: view.draft ?? null,
        threadDrafts: view.threadDrafts ?? [],
    };
}

/** The path of a room's routes. */
export function roomPath(room) {
    return `/workspaces/${room.workspace}/${room.kind === 'channel' ? 'channels' : 'dms'}/${room.id}`;
}

/**
 * Marks the reactions of a user. Events of the socket have no marks, because they are the same for all; of more than twenty users
 * only the held message shows it.
 */
export function marked(message, user, held) {
    if (!message.reactions?.length) return message;
    const reactions = message.reactions.map((reaction) => ({
        ...reaction,
        mine: reaction.mine ?? (reaction.users.includes(user) ||
            (reaction.count > reaction.users.length && !!held?.reactions?.find((each) => each.emoji === reaction.emoji)?.mine)),
    }));
    return { ...message, reactions };
}

/** True if a message stands in its thread only. */
export const isThreadOnly = (message) => !!message.thread && !message.thread.toRoom;

/** True if a new message mentions a user. `@here` mentions present users only. */
export const mentions = (message, user, isPresent) =>
    (message.mentions ?? []).some(({ type, user_id }) => (type === 'here' ? isPresent : type === 'room' || String(user_id) === String(user)));

/** Whether a character continues a Latin or other word. Particles and other words stick to Hangul. */
const isInWord = (each) => /[\p{L}\p{N}]/u.test(each) && !/[\uac00-\ud7a3\u1100-\u11ff\u3130-\u318f]/.test(each);

/** True if a text has one of a user's keywords: a Latin one as a whole word, Hangul anywhere, as for pushes. */
export function hasKeyword(text, keywords) {
    const folded = (each) => each.normalize('NFC').toLowerCase();
    const all = folded(text);
    const isEdge = (place) => !(place > 0 && place < all.length && isInWord(all[place - 1]) && isInWord(all[place]));
    return keywords.map(folded).filter(Boolean).some((word) => {
        for (let place = all.indexOf(word); place >= 0; place = all.indexOf(word, place + 1)) {
            if (isEdge(place) && isEdge(place + word.length)) return true;
        }
        return false;
    });
}

const MARKED = /(```)|(\*\*|~~|`)([^*~`\n]+)\2/g;

/**
 * A text without the signs of its markup, such as `**`, and with names in place of `<@12>`, for lists and notifications; and where the
 * found parts are then.
 * @param {[number, number][]} [ranges] starts and lengths in UTF-16 units
 * @param {(id: string) => string|undefined} [nickname] the name of a user; a mention of an unknown one stays as it is
 */
export function plain(text, ranges = [], nickname = () => undefined) {
    /** The start and the length of what goes, and the text in its place. */
    const cuts = [];
    for (const { index, 0: all, 1: fence, 2: sign } of text.matchAll(MARKED)) {
        if (fence) cuts.push([index, fence.length, '']);
        else cuts.push([index, sign.length, ''], [index + all.length - sign.length, sign.length, '']);
    }
    for (const { index, 0: all, 1: id } of text.matchAll(/<@(\d+)>/g)) {
        const name = nickname(id);
        if (name) cuts.push([index, all.length, `@${name}`]);
    }
    cuts.sort(([one], [other]) => one - other);
    let end = 0, shown = '';
    for (const [start, length, instead] of cuts) {
        shown += text.slice(end, start) + instead;
        end = start + length;
    }
    const placeOf = (place) => cuts.reduce((sum, [start, length, instead]) =>
        sum - Math.max(0, Math.min(length, place - start)) + (place >= start + length ? instead.length : 0), place);
    const moved = ranges.map(([start, length]) => [placeOf(start), placeOf(start + length) - placeOf(start)]);
    return { text: shown + text.slice(end), ranges: moved.filter(([, length]) => length > 0) };
}

/** A text preview of a message in one line. */
export const preview = (message, nickname) => plain(message.content || '', [], nickname).text.replace(/\s+/g, ' ').trim();

/** The message with or without a reaction of a user. */
export function withReaction(message, emoji, user, on) {
    const others = (message.reactions ?? []).map((each) => ({ ...each, users: [...each.users] }));
    let reaction = others.find((each) => each.emoji === emoji);
    if (!reaction) others.push((reaction = { emoji, count: 0, users: [], mine: false }));
    if (!!reaction.mine === on) return message;
    reaction.mine = on;
    reaction.count += on ? 1 : -1;
    reaction.users = on ? [...reaction.users, user] : reaction.users.filter((each) => each !== user);
    return { ...message, reactions: others.filter((each) => each.count > 0) };
}
