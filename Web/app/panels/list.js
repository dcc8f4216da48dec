import { h, iconButton, keyed, View } from '../dom.js';
import { fileName, momentOf } from '../format.js';
import { explain, t } from '../i18n.js';
import { attempt } from '../parts/toast.js';
import { app } from '../state.js';
import { savedMessages } from '../views/message-actions.js';
import { hitRow } from './hit.js';

/** Several changes at once make one reading. */
const RELOAD_AFTER = 300;

const LISTS = {
    pins: (cursor) => app.client.routes.pins(app.room, cursor),
    saved: (cursor) => app.client.routes.saved(cursor),
    mentions: (cursor) => app.client.routes.mentions(app.route.workspace, cursor),
    threads: (cursor) => app.client.routes.threads(app.route.workspace, cursor),
    scheduled: (cursor) => app.client.routes.scheduled(cursor),
};

/** Whether an event of the live connection may add something to a list. */
const ADDS = {
    pins: ({ name, data }) => name === 'changed' && data.room === app.route.room && !!data.message.pinnedAt,
    saved: () => false,
    mentions: ({ name, data }) => name === 'message' && !!data.message.mentions?.length,
    // The badge counts the replies that were read, here or elsewhere.
    threads: ({ name, data }) => name === 'badge' || (name === 'message' && !!data.message.thread),
    scheduled: ({ name, data }) => name === 'message' && !!data.message.scheduled,
};

/** A list of messages: pinned, saved, mentions, threads or scheduled. It follows the changes while it is open. */
class MessageList extends View {
    #list = h('ol');
    #state = h('div', { role: 'status' });
    #more = h('button', { type: 'button', class: 'link-button', hidden: true, onclick: () => this.#load(this.next) }, t('search.more'));
    #items = [];
    /** The number of pages on the screen. */
    #pages = 0;
    /** The number of the last reading: the reply to an earlier one is dropped. */
    #asked = 0;
    #isLoading = false;

    setup() {
        this.replaceChildren(h('div', { class: 'panel-body' }, this.#list, this.#state, this.#more));
        this.listen(app.client, 'event', (event) => this.#isConcerned(event) && this.#reloadLater());
        this.listen(app, 'scheduled', () => this.panel.kind === 'scheduled' && this.#reloadLater());
        this.listen(savedMessages, 'toggled', () => this.panel.kind === 'saved' && this.#reloadLater());
        this.onEnd(() => clearTimeout(this.timer));
        this.#load();
    }

    #isConcerned(event) {
        const { name, data } = event;
        if (name === 'ready' || ADDS[this.panel.kind](event)) return true;
        return name === 'changed' && this.#items.some((item) => keyOf(this.panel.kind, item) === `${data.room}/${data.message.seq}`);
    }

    async #load(cursor) {
        const asked = (this.#asked += 1);
        this.#isLoading = true;
        this.#more.hidden = true;
        this.#state.replaceChildren(h('div', { class: 'loading' }, h('div', { class: 'spinner' })));
        try {
            const page = await LISTS[this.panel.kind](cursor);
            if (asked === this.#asked) this.#take([...(cursor ? this.#items : []), ...page.items], page.next, cursor ? this.#pages + 1 : 1);
        } catch (error) {
            if (asked !== this.#asked) return;
            this.#state.replaceChildren(h('div', { class: 'empty' }, h('p', null, explain(error)),
                h('button', { type: 'button', class: 'button', onclick: () => this.#load(cursor) }, t('room.retry'))));
        } finally {
            if (asked === this.#asked) this.#isLoading = false;
        }
    }

    #reloadLater() {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.#reload(), RELOAD_AFTER);
    }

    /** Reads the pages on the screen again. The list stays as it is if that fails, until the next change. */
    async #reload() {
        // The page that the user waits for comes first.
        if (this.#isLoading) return this.#reloadLater();
        // The first page has failed.
        if (!this.#pages) return this.#load();
        const asked = (this.#asked += 1);
        const items = [];
        let next, pages = 0;
        try {
            do {
                const page = await LISTS[this.panel.kind](next);
                items.push(...page.items);
                [next, pages] = [page.next, pages + 1];
            } while (next && pages < this.#pages);
        } catch {
            return;
        }
        if (asked === this.#asked) this.#take(items, next, pages);
    }

    #take(items, next, pages) {
        const { kind } = this.panel;
        if (kind === 'saved') savedMessages.learn(items.map((each) => keyOf(kind, each)));
        this.#items = items;
        this.#pages = pages;
        this.next = next;
        this.#show();
    }

    #show() {
        const { kind } = this.panel;
        keyed(this.#list, this.#items.map((item) => ({ key: keyOf(kind, item), signature: [JSON.stringify(item)], make: () => this.#row(kind, item) })));
        this.#more.hidden = !this.next;
        const note = this.#items.length ? '' : t(`empty.${kind}`);
        // Screen readers would read it again.
        if (note && this.#state.textContent === note) return;
        this.#state.replaceChildren(...(note ? [h('p', { class: 'empty' }, note)] : []));
    }

    #row(kind, item) {
        if (kind === 'pins') return hitRow({ room: app.route.room, message: item });
        if (kind === 'scheduled') return this.#scheduled(item);
        if (kind === 'threads') {
            const note = item.unreadCount ? t('nav.unread', { count: item.unreadCount }) : null;
            return hitRow({ room: item.room, message: item.root, note, onclick: () => app.show({ kind: 'thread', room: item.room, seq: item.root.seq }) });
        }
        return hitRow(item);
    }

    #scheduled(item) {
        const room = app.store.rooms.get(item.room);
        return h('li', { class: 'hit' },
            h('span', { class: 'hit-head' }, h('b', null, room?.name ?? ''), h('time', null, momentOf(item.at)),
                iconButton('trash', t('schedule.cancel'), () => attempt(async () => {
                    await app.client.routes.unschedule(item.id);
                    this.#items = this.#items.filter((each) => each.id !== item.id);
                    this.#show();
                }), { class: 'icon-button small', size: 16 })),
            h('span', { class: 'hit-text' }, item.content || (item.files ?? []).map(fileName).join(', ')), item.state === 'failed' && h('small', { class: 'fault' }, t('schedule.failed')));
    }
}

/** The key of an item: its room and number, or the id of a scheduled message. */
function keyOf(kind, item) {
    if (kind === 'scheduled') return item.id;
    if (kind === 'pins') return `${app.route.room}/${item.seq}`;
    return `${item.room}/${(item.root ?? item.message).seq}`;
}

customElements.define('maru-list', MessageList);
