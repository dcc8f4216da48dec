import { h, iconButton, View } from '../dom.js';
import { fileName, momentOf } from '../format.js';
import { explain, t } from '../i18n.js';
import { attempt } from '../parts/toast.js';
import { app } from '../state.js';
import { savedMessages } from '../views/message-actions.js';
import { hitRow } from './hit.js';

const LISTS = {
    pins: (cursor) => app.client.routes.pins(app.room, cursor),
    saved: (cursor) => app.client.routes.saved(cursor),
    mentions: (cursor) => app.client.routes.mentions(app.route.workspace, cursor),
    threads: (cursor) => app.client.routes.threads(app.route.workspace, cursor),
    scheduled: (cursor) => app.client.routes.scheduled(cursor),
};

/** A list of messages: pinned, saved, mentions, threads or scheduled. */
class MessageList extends View {
    #list = h('ol');
    #state = h('div', { role: 'status' });
    #more = h('button', { type: 'button', class: 'link-button', hidden: true, onclick: () => this.#load(this.next) }, t('search.more'));

    setup() {
        this.replaceChildren(h('div', { class: 'panel-body' }, this.#list, this.#state, this.#more));
        this.#load();
    }

    async #load(cursor) {
        const { kind } = this.panel;
        this.#more.disabled = true;
        this.#state.replaceChildren(h('div', { class: 'loading' }, h('div', { class: 'spinner' })));
        try {
            const { items, next } = await LISTS[kind](cursor);
            if (kind === 'saved') savedMessages.learn(items.map((each) => `${each.room}/${each.message.seq}`));
            this.#list.append(...items.map((item) => this.#row(kind, item)));
            this.next = next;
            this.#more.hidden = !next;
            this.#state.replaceChildren(...(this.#list.childElementCount ? [] : [h('p', { class: 'empty' }, t(`empty.${kind}`))]));
        } catch (error) {
            this.#state.replaceChildren(h('p', { class: 'empty' }, explain(error)));
        } finally {
            this.#more.disabled = false;
        }
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
        const row = h('li', { class: 'hit' },
            h('span', { class: 'hit-head' }, h('b', null, room?.name ?? ''), h('time', null, momentOf(item.at)),
                iconButton('trash', t('schedule.cancel'), () => attempt(async () => {
                    await app.client.routes.unschedule(item.id);
                    row.remove();
                }), { class: 'icon-button small', size: 16 })),
            h('span', { class: 'hit-text' }, item.content || (item.files ?? []).map(fileName).join(', ')), item.state === 'failed' && h('small', { class: 'fault' }, t('schedule.failed')));
        return row;
    }
}

customElements.define('maru-list', MessageList);
