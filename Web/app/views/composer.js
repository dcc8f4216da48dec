import { h, hasKeyboard, hasMouse, icon, iconButton, View } from '../dom.js';
import { lengthOf, sizeOf } from '../format.js';
import { t } from '../i18n.js';
import { dropDraft, dropOldDrafts, keepDraft, leftDraft, writingTime, writtenAt } from '../kept-drafts.js';
import { commandsOf, orderIn, runCommand } from '../parts/commands.js';
import { Completion } from '../parts/completion.js';
import { pickEmoji } from '../parts/emoji.js';
import { openMenu } from '../parts/menu.js';
import { open } from '../parts/open.js';
import { attempt, toast } from '../parts/toast.js';
import { app } from '../state.js';
import { localPicture } from './files.js';
import { editing } from './message-actions.js';

const TYPING_EVERY = 3000;
const DRAFT_AFTER = 1200;
const DRAFT_AGAIN = 5000;

/** Drafts of this page that the server does not have yet, as `{content, at}` with the time of their last key, by user and place. */
const drafts = new Map();
let again = null;
/** Edits of rooms and threads that were left meanwhile, by user and place. */
const edits = new Map();
/** Files that were chosen and not sent yet, by user and place. */
const staged = new Map();

/** Takes a text that was written just now. */
const noteDraft = (kept, content) => drafts.set(kept, { content, at: writingTime(kept) });

/**
 * Stores a text that was written here. One that nobody has touched on this page may be older than the draft of the server. So is one that
 * another tab has followed with a text of its own; it stays on the screen only.
 */
function storeDraft(kept) {
    const [user, place] = kept.split(' ');
    const [room, root] = place.split('/');
    const draft = drafts.get(kept);
    if (draft === undefined || user !== app.store.me || !app.store.rooms.has(room)) return;
    if (draft.at < writtenAt(kept)) {
        drafts.delete(kept);
        return;
    }
    const { content } = draft;
    const thread = root === undefined ? undefined : Number(root);
    const stored = app.client.drafts.text(room, thread);
    const isNew = content !== stored;
    keepDraft(kept, draft, stored);
    app.client.drafts.save(room, content, thread).then(
        () => {
            if (drafts.get(kept) === draft) {
                drafts.delete(kept);
                dropDraft(kept, content);
            }
            // The other tabs have the same session, and the server sends the change to other sessions only.
            if (isNew) app.tabs.postMessage('draft');
        },
        // Without a network the next connection or visit tries again. A service that fails for a while may keep the connection.
        (error) => {
            if (!error.isTemporary || error.isOffline) return;
            clearTimeout(again);
            again = setTimeout(storeDrafts, Math.max(DRAFT_AGAIN, error.retryAfter * 1000));
        });
}

/** Stores the texts that the server did not take, as while there was no network. Their rooms need not be on the screen. */
export function storeDrafts() {
    for (const kept of [...drafts.keys()]) storeDraft(kept);
}

dropOldDrafts();

// A page that goes out of sight may be closed.
document.addEventListener('visibilitychange', () => document.hidden && storeDrafts());
addEventListener('pagehide', () => storeDrafts());

/** Writes messages to a room (`room`), or replies to a thread (`thread`). */
class Composer extends View {
    #text = h('textarea', { rows: '1', dir: 'auto', enterkeyhint: 'enter' });
    #send = h('button', { type: 'button', class: 'send', onpointerdown: () => (this.#wasWriting = document.activeElement === this.#text), onclick: () => this.#press() }, icon('send', 18));
    #note = h('div', { class: 'composer-note', hidden: true });
    #excess = h('p', { class: 'composer-note fault', role: 'status', hidden: true });
    #staged = h('ul', { class: 'staged', hidden: true });
    #typing = h('div', { class: 'typing', 'aria-live': 'off' });
    #wasWriting = false;
    #files = [];
    #edited = null;
    #kept = '';
    /** The draft of the server that the field shows as it came. */
    #taken = '';
    #typedAt = 0;
    #draftTimer = null;

    get place() {
        return this.thread === undefined ? this.room : `${this.room}/${this.thread}`;
    }

    setup() {
        const room = app.store.rooms.get(this.room);
        this.#kept = `${app.store.me} ${this.place}`;
        this.#files = staged.get(this.#kept) ?? [];
        staged.set(this.#kept, this.#files);
        const label = this.thread === undefined ? t('compose.label', { name: room.name }) : t('compose.reply');
        this.#text.placeholder = label;
        this.#text.setAttribute('aria-label', label);
        this.#send.setAttribute('aria-label', t('compose.send'));
        const input = h('input', { type: 'file', multiple: true, hidden: true, onchange: () => (this.attach(input.files), (input.value = '')) });
        const box = h('div', { class: 'composer' }, this.#note, this.#staged, this.#text, this.#excess,
            h('div', { class: 'composer-bar' },
                iconButton('clip', t('compose.attach'), () => input.click()),
                iconButton('smile', t('compose.emoji'), (event) => pickEmoji(event.currentTarget, t('compose.emoji'), (emoji) => this.#insert(emoji))),
                this.thread === undefined && iconButton('clock', t('compose.later'), (event) => this.#openLater(event.currentTarget)),
                h('div', { class: 'composer-end' }, this.thread === undefined ? hasKeyboard() && h('span', { class: 'hint' }, t('compose.hint')) : h('label', { class: 'check hint' }, h('input', { type: 'checkbox', name: 'toRoom' }), t('compose.toRoom')), this.#send)), input);
        this.replaceChildren(Object.assign(document.createElement('maru-private-answers'), { place: this.place }), box, this.#typing);
        this.completion = new Completion(this.#text, () => this.#names(), () => commandsOf(room.workspace, () => this.completion.again()));
        this.#text.addEventListener('input', () => this.#typed());
        this.#text.addEventListener('keydown', (event) => this.#key(event));
        this.#text.addEventListener('paste', (event) => this.#paste(event));
        this.listen(app.store, 'typing', (key) => key === this.room && this.#showTyping());
        this.listen(editing, this.place, (message) => this.#edit(message));
        this.listen(app.store, 'room', (key) => key === this.room && this.#takeDraft());
        this.onEnd(() => this.#saveDraft());
        this.onEnd(() => this.#edited && edits.set(this.#kept, { message: this.#edited, text: this.#text.value }));
        this.#takeLeft();
        this.#showDraft();
        this.#saveDraft();
        this.#showFiles();
        this.#changed();
        this.#takeEdit();
        if (hasMouse()) this.#text.focus();
    }

    #names() {
        const room = app.store.rooms.get(this.room);
        if (room.kind === 'dm') return [{ name: room.user.nickname, user: room.user }];
        const view = document.querySelector('maru-room');
        view?.describe();
        const people = new Map(app.store.timeline(this.room).messages.map(({ user }) => [String(user.user_id), app.store.users.get(String(user.user_id)) ?? user]));
        for (const member of view?.detail?.channelMembers ?? []) people.set(String(member.user_id), member);
        return [...[...people.values()].filter((each) => String(each.user_id) !== app.store.me).map((each) => ({ name: each.nickname, user: each })),
            { name: 'channel' }, { name: 'here' }];
    }

    // Writing

    #typed() {
        this.#changed();
        // The text of an edit is not a draft.
        if (this.#edited) return;
        noteDraft(this.#kept, this.#text.value);
        clearTimeout(this.#draftTimer);
        this.#draftTimer = setTimeout(() => this.#saveDraft(), DRAFT_AFTER);
        if (this.#text.value.trim() && Date.now() - this.#typedAt > TYPING_EVERY) {
            this.#typedAt = Date.now();
            app.client.typing(this.room, this.thread);
        }
    }

    #changed() {
        this.#text.style.height = 'auto';
        this.#text.style.height = `${this.#text.scrollHeight}px`;
        const { characters } = app.client.limits.message;
        const isTooLong = this.#text.value.length > characters && lengthOf(this.#text.value.trim()) > characters;
        this.#excess.hidden = !isTooLong;
        this.#excess.textContent = isTooLong ? t('limits.text', { count: characters }) : '';
        this.#send.disabled = isTooLong || (!this.#text.value.trim() && !this.#files.length);
    }

    #insert(text) {
        this.#text.focus();
        this.#text.setRangeText(text, this.#text.selectionStart, this.#text.selectionEnd, 'end');
        this.#typed();
    }

    #key(event) {
        // The Enter that ends a composition of an input method does not send.
        if (event.isComposing || event.keyCode === 229 || this.completion.key(event)) return;
        // The keyboard of a screen has no Shift Enter. There the button sends.
        const sends = event.ctrlKey || event.metaKey || (hasKeyboard() && !event.shiftKey && !event.altKey);
        if (event.key === 'Enter' && sends) {
            event.preventDefault();
            this.#submit();
        } else if (event.key === 'Escape' && this.#edited) {
            event.preventDefault();
            this.#edit(null);
        } else if (event.key === 'ArrowUp' && !this.#text.value && !this.#edited) {
            const last = app.store.timeline(this.place).messages.findLast((each) => String(each.user.user_id) === app.store.me && !each.deletedAt);
            if (!last) return;
            event.preventDefault();
            this.#edit(last);
        }
    }

    /** Goes on with an edit that was begun before the room was left. */
    #takeEdit() {
        const left = edits.get(this.#kept);
        edits.delete(this.#kept);
        if (left) this.#edit(left.message, left.text);
    }

    #edit(message, text = message?.content) {
        this.#edited = message;
        this.#note.hidden = !message;
        this.#note.replaceChildren(...(message ? [icon('edit', 16), t('compose.editing'), h('button', { type: 'button', class: 'link-button', onclick: () => this.#edit(null) }, t('compose.cancel'))] : []));
        if (message) this.#text.value = text;
        else this.#showDraft();
        this.#send.setAttribute('aria-label', t(message ? 'compose.save' : 'compose.send'));
        this.#changed();
        this.#text.focus();
    }

    /** The button takes the focus, and loses it once it is disabled. The keyboard of a screen stays open if it was. */
    #press() {
        const wasWriting = this.#wasWriting;
        this.#wasWriting = false;
        this.#submit();
        if (wasWriting || hasMouse()) this.#text.focus();
    }

    async #submit() {
        if (this.#send.disabled) return;
        if (!app.store.rooms.has(this.room)) return toast(t('error.E13'), { bad: true });
        const content = this.#text.value.trim();
        const edited = this.#edited;
        if (edited) {
            if (!content) return;
            const done = await attempt(async () => (content !== edited.content && (await app.client.edit(this.room, edited.seq, content)), true));
            // The room may have been left meanwhile.
            if (done && edits.get(this.#kept)?.message === edited) edits.delete(this.#kept);
            // The next edit may have begun meanwhile.
            return done && this.#edited === edited && this.#edit(null);
        }
        if (!content && !this.#files.length) return;
        const order = !this.#files.length && orderIn(this.#text.value);
        if (order) return this.#run(order, this.#text.value);
        const box = this.querySelector('[name="toRoom"]');
        const toRoom = box?.checked;
        // It is a choice for one reply.
        if (box) box.checked = false;
        const files = this.#files.splice(0);
        this.#clear();
        await app.client.say(this.room, content, { files, thread: this.thread, toRoom });
    }

    /** A command that fails comes back into an empty composer. */
    async #run(order, typed) {
        this.#clear();
        const isTaken = await runCommand(this.place, app.store.rooms.get(this.room), order, this.thread);
        if (isTaken || this.#text.value || this.#edited || !this.isConnected) return;
        // The user may write elsewhere meanwhile.
        this.#text.value = typed;
        this.#typed();
    }

    #clear() {
        this.#text.value = '';
        noteDraft(this.#kept, '');
        this.#showFiles();
        this.#changed();
        this.#saveDraft();
        this.#typedAt = 0;
    }

    #openLater(anchor) {
        const content = this.#text.value.trim();
        const files = this.#edited ? [] : [...this.#files];
        const done = () => {
            if (this.#edited) return this.#edit(null);
            this.#files.splice(0);
            this.#clear();
        };
        openMenu(anchor, [
            { label: t('schedule.title'), icon: 'clock', action: () => open('message', 'scheduleMessage', this.room, { content, files }, done) },
        ]);
    }

    // Drafts

    /** Takes up the text of a page that was left before the server had it. */
    #takeLeft() {
        const left = drafts.has(this.#kept) ? undefined : leftDraft(this.#kept, app.client.drafts.text(this.room, this.thread));
        if (left !== undefined) drafts.set(this.#kept, { content: left, at: writtenAt(this.#kept) });
    }

    /** Shows the text of this page, or else the draft of the server. */
    #showDraft() {
        this.#taken = app.client.drafts.text(this.room, this.thread);
        this.#text.value = drafts.get(this.#kept)?.content ?? this.#taken;
    }

    /** A draft of another device fills an empty composer, and follows the changes there until the user touches it here. */
    #takeDraft() {
        const [shown, draft] = [this.#text.value, app.client.drafts.text(this.room, this.thread)];
        const isOwn = this.#edited || drafts.has(this.#kept) || (shown && shown !== this.#taken);
        // A draft that arrives late is not put under the cursor. A text that was sent elsewhere is removed all the same.
        if (isOwn || !app.store.rooms.has(this.room) || shown === draft || (draft && document.activeElement === this.#text)) return;
        this.#showDraft();
        this.#changed();
    }

    #saveDraft() {
        clearTimeout(this.#draftTimer);
        storeDraft(this.#kept);
    }

    // Files

    /** A table or a page is copied with a picture of itself, and files with their names. */
    #paste(event) {
        const { files } = event.clipboardData;
        if (!files.length) return;
        event.preventDefault();
        const names = [...files].map((each) => each.name);
        const text = event.clipboardData.getData('text/plain');
        const isText = text.split(/[\r\n]+/).some((line) => line && !names.includes(line.split('/').at(-1)));
        this.attach(files);
        if (isText) this.#insert(text);
    }

    attach(list) {
        for (const file of list) {
            const { files, storage } = app.client.limits;
            const left = storage.bytes - storage.used - this.#files.reduce((sum, each) => sum + each.size, 0);
            if (this.#files.length === files.count) {
                toast(t('compose.tooMany', { count: files.count }), { bad: true });
                break;
            }
            if (file.size > files.bytes) toast(t('compose.tooLarge', { name: file.name, size: sizeOf(files.bytes) }), { bad: true });
            else if (file.size > left) toast(t('limits.storage', { size: sizeOf(Math.max(0, left)) }), { bad: true });
            else this.#files.push(file);
        }
        this.#showFiles();
        this.#changed();
        this.#text.focus();
    }

    #showFiles() {
        this.#staged.hidden = !this.#files.length;
        this.#staged.replaceChildren(...this.#files.map((file, place) => {
            const picture = file.type.startsWith('image/') ? localPicture(file, 24) : icon('file', 24);
            return h('li', null, picture, h('span', null, file.name),
                iconButton('close', t('compose.remove', { name: file.name }), () => {
                    this.#files.splice(place, 1);
                    this.#showFiles();
                    this.#changed();
                    this.#text.focus();
                }, { class: 'icon-button small', size: 16 }));
        }));
    }

    #showTyping() {
        const names = app.store.typing(this.room, this.thread).map((id) => app.store.users.get(id)?.nickname).filter(Boolean);
        this.#typing.textContent = !names.length ? '' : names.length === 1 ? t('typing.one', { one: names[0] })
            : names.length === 2 ? t('typing.two', { one: names[0], two: names[1] }) : t('typing.many');
    }
}

customElements.define('maru-composer', Composer);
