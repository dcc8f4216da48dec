import { preview } from '../../maru/rooms.js';
import { h, icon, iconButton } from '../dom.js';
import { clockOf, momentOf, shortMoment, timeOf } from '../format.js';
import { explain, t } from '../i18n.js';
import { renderMarkup } from '../markup.js';
import { nameOf, nicknameOf } from '../names.js';
import { personAvatar } from '../parts/avatar.js';
import { pickEmoji, QUICK } from '../parts/emoji.js';
import { attempt } from '../parts/toast.js';
import { app } from '../state.js';
import { fileList, pendingFiles } from './files.js';
import { openActions, toggleSaved } from './message-actions.js';

const ONLY_EMOJI = /^(?:\p{Extended_Pictographic}(?:\ufe0f|\u200d\p{Extended_Pictographic}|\p{Emoji_Modifier})*\s*){1,3}$/u;

/** A message with its tools. */
export function messageRow(message, { room, thread, isFirst, isTarget, mention, isSaved }) {
    const isDeleted = !!message.deletedAt;
    const isHidden = !isDeleted && app.store.isHidden(message);
    const text = isDeleted ? t('message.deleted') : isHidden ? t('message.blocked') : preview(message, nicknameOf) || (message.files?.length ? t('notice.file') : '');
    const isMention = !isHidden && (message.mentions ?? []).some((each) => each.type !== 'user' || String(each.user_id) === app.store.me);
    const user = app.store.users.get(String(message.user.user_id)) ?? message.user;
    const row = h('li', {
        class: ['message', isFirst && 'first', isMention && 'mentioned', isTarget && 'target'].filter(Boolean).join(' '),
        tabindex: '-1', data: { seq: message.seq },
        'aria-label': `${t('message.by', { name: nameOf(user), time: momentOf(message.createdAt) })}: ${text}`,
    },
    isFirst ? personAvatar(user) : h('time', { class: 'gutter', datetime: message.createdAt, 'aria-hidden': 'true' }, clockOf(message.createdAt)),
    h('div', null,
        isFirst && h('div', { class: 'message-head' }, author(room, user, app.store.isHidden(message)), message.user.bot && h('span', { class: 'bot' }, t('message.bot')), h('time', { datetime: message.createdAt, title: momentOf(message.createdAt) }, timeOf(message.createdAt))),
        labels(message, isSaved),
        isDeleted || isHidden ? h('p', { class: 'text gone' }, text) : content(message, mention),
        !isDeleted && !isHidden && fileList(message),
        !isDeleted && !isHidden && reactions(room, message),
        thread === undefined && replies(room, message)));
    if (!isDeleted) addLater(row, () => tools(room, message, thread, isSaved));
    return row;
}

/** Makes the tools of a row when it is pointed at or focused: most rows only pass by, and half of their elements are tools. */
function addLater(row, make) {
    row.complete = () => {
        row.complete = null;
        row.append(make());
    };
    for (const name of ['pointerenter', 'focusin']) row.addEventListener(name, () => row.complete?.());
}

/** The name of an author, which opens the menu of the person. */
function author(room, user, isHidden) {
    const open = async (event) => {
        const anchor = event.currentTarget;
        (await import('../dialogs/person.js')).openPerson(anchor, app.store.rooms.get(room).workspace, user, isHidden);
    };
    return h('button', { type: 'button', class: 'author', 'aria-haspopup': 'menu', data: { action: 'author' }, onclick: open }, nameOf(user));
}

function labels(message, isSaved) {
    const all = [
        message.pinnedAt && h('span', null, icon('pin'), t('message.pinned')),
        isSaved && h('span', null, icon('bookmark'), t('message.saved')),
        message.scheduled && h('span', null, icon('clock'), t('message.scheduled')),
    ].filter(Boolean);
    return all.length ? h('div', { class: 'labels' }, all) : null;
}

function content(message, mention) {
    if (!message.content) return null;
    return h('div', { class: ONLY_EMOJI.test(message.content) ? 'text jumbo' : 'text' }, renderMarkup(message.content, mention),
        message.editedAt && h('span', { class: 'edited', title: momentOf(message.editedAt) }, ` (${t('message.edited')})`));
}

function reactions(room, message) {
    if (!message.reactions?.length) return null;
    return h('div', { class: 'reactions' }, message.reactions.map(({ emoji, count, users, mine }) => {
        const names = users.map((each) => app.store.users.get(String(each))).filter(Boolean).map(nameOf);
        if (count > names.length) names.push(`+${count - names.length}`);
        const label = t('reaction.one', { emoji, names: names.join(', ') });
        return h('button', {
            type: 'button', class: 'reaction', 'aria-pressed': !!mine, title: label, 'aria-label': label, data: { action: `reaction-${emoji}` },
            onclick: () => attempt(() => app.client.react(room, message, emoji, !mine)),
        }, h('span', { class: 'emoji', 'aria-hidden': 'true' }, emoji), count);
    }));
}

function replies(room, message) {
    if (!message.replies?.count) return null;
    const { count, lastAt, users } = message.replies;
    return h('button', { type: 'button', class: 'replies', data: { action: 'thread' }, onclick: () => app.show({ kind: 'thread', room, seq: message.seq }) },
        h('span', { class: 'stack', 'aria-hidden': 'true' }, users.slice(0, 3).map((id) => personAvatar(app.store.users.get(String(id)) ?? { user_id: id, nickname: '?' }, 'small'))),
        t('message.replies', { count }), h('small', null, t('message.lastReply', { time: shortMoment(lastAt) })));
}

function tools(room, message, thread, isSaved) {
    const react = (emoji) => attempt(() => app.client.react(room, message, emoji, !message.reactions?.find((each) => each.emoji === emoji)?.mine));
    const small = { size: 18 };
    return h('div', { class: 'tools', role: 'group', 'aria-label': t('message.actions') },
        QUICK.slice(0, 1).map((emoji) => h('button', { type: 'button', class: 'icon-button', 'aria-label': `${t('message.react')} ${emoji}`, title: emoji, data: { action: 'quick' }, onclick: () => react(emoji) }, emoji)),
        iconButton('smile', t('message.react'), (event) => pickEmoji(event.currentTarget, t('reaction.pick'), react), { ...small, data: { action: 'react' } }),
        thread === undefined && iconButton('thread', t('message.reply'), () => app.show({ kind: 'thread', room, seq: message.thread?.root ?? message.seq }), { ...small, data: { action: 'reply' } }),
        iconButton('bookmark', t('message.save'), () => toggleSaved(room, message), { ...small, 'aria-pressed': isSaved, data: { action: 'save' } }),
        iconButton('more', t('message.more'), (event) => openActions(event.currentTarget, room, message, thread), { ...small, 'aria-haspopup': 'menu', data: { action: 'more' } }));
}

/** A message of the outbox, marked until the server acknowledges it. */
export function pendingRow(entry, { isFirst, mention }) {
    const { outbox } = app.client;
    const me = app.store.users.get(app.store.me);
    return h('li', { class: `message pending${isFirst ? ' first' : ''}`, tabindex: '-1', data: { entry: entry.id }, 'aria-label': entry.content || t('notice.file') },
        isFirst ? personAvatar(me) : h('span'),
        h('div', null,
            isFirst && h('div', { class: 'message-head' }, h('b', null, me.nickname), h('time', null, timeOf(entry.at))),
            entry.content && h('div', { class: 'text' }, renderMarkup(entry.content, mention)),
            pendingFiles(entry.files),
            entry.state === 'failed' ? failure(entry, outbox) : waiting(entry, outbox)));
}

function waiting(entry, outbox) {
    const isOffline = app.client.connection === 'offline';
    return h('div', { class: 'status' }, icon('clock'), t(isOffline ? 'message.waiting' : 'message.sending'),
        entry.files.length > 0 && h('progress', { max: '1', value: String(entry.progress ?? 0), 'aria-label': t('message.sending') }),
        (entry.files.length > 0 || isOffline) && h('button', { type: 'button', class: 'link-button', data: { action: 'cancel' }, onclick: () => outbox.remove(entry.id) }, t(entry.files.length ? 'message.cancel' : 'message.discard')));
}

function failure(entry, outbox) {
    return h('div', { class: 'status bad', role: 'alert' }, icon('warn'), t('message.failed', { reason: explain(entry.error) }),
        h('button', { type: 'button', class: 'link-button', data: { action: 'retry' }, onclick: () => outbox.retry(entry.id) }, t('message.retry')),
        h('button', { type: 'button', class: 'link-button', data: { action: 'discard' }, onclick: () => outbox.remove(entry.id) }, t('message.discard')));
}
