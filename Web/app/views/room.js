import { h, icon, iconButton, View } from '../dom.js';
import { t } from '../i18n.js';
import { nameOf } from '../names.js';
import { dropSign } from '../parts/drop.js';
import { app } from '../state.js';
import './composer.js';
import './timeline.js';

/** True for an event about a room or its members. The members of a workspace are those of its default channel too. */
export const concerns = ({ name, data }, room) =>
    room && ((['member', 'room'].includes(name) && data.room === room.key) || (name === 'member' && !data.room && String(data.workspace_id) === room.workspace));

/** A room: its head, its messages and the composer. The property `room` is its key. */
class Room extends View {
    #title = h('h1');
    #sub = h('p');

    described = 0;
    /** The authors outside the list of members. It was read again once for each. */
    #met = new Set();
    /** The number of requests, and that of the request with the shown reply: the reply to an older one may come after it. */
    #asked = 0;
    #shown = 0;

    setup() {
        const timeline = Object.assign(document.createElement('maru-timeline'), { room: this.room });
        const composer = Object.assign(document.createElement('maru-composer'), { room: this.room });
        const button = (name, kind) => iconButton(name, t(`room.${kind}`), () => app.toggle(kind), { data: { panel: kind } });
        this.replaceChildren(
            h('header', { class: 'room-head' },
                iconButton('back', t('nav.back'), () => app.go({ workspace: app.route.workspace }), { class: 'icon-button only-narrow' }),
                h('div', { class: 'room-title' }, this.#title, this.#sub),
                button('search', 'search'), button('pin', 'pins'), button('info', 'details')),
            timeline, composer, dropSign(this, (files) => composer.attach(files)));
        this.listen(app.store, 'room', (key) => key === this.room && this.invalidate());
        this.listen(app.store, ['presence', 'users']);
        this.listen(app.client, 'event', (event) => concerns(event, app.store.rooms.get(this.room)) && this.#describeAgain());
        this.listen(app.store, 'message', (event) => event.room === this.room && this.#meet(event.message.user));
        this.listen(app, 'panel', () => this.#markPanel());
        this.describe();
        this.#markPanel();
    }

    /** A message of a user outside the list of members may show that the list is old. The author of a webhook is in no list. */
    #meet({ user_id }) {
        const members = this.detail?.channelMembers;
        if (!members || this.#met.has(user_id) || members.some((each) => String(each.user_id) === String(user_id))) return;
        this.#met.add(user_id);
        this.#describeAgain();
    }

    /** Members came or went, or the topic changed. */
    #describeAgain() {
        this.described = 0;
        this.describe();
    }

    /** Loads the topic and the members of a channel, at most twice a minute. */
    async describe() {
        const room = app.store.rooms.get(this.room);
        if (room?.kind !== 'channel' || Date.now() - this.described < 30_000) return;
        this.described = Date.now();
        const asked = (this.#asked += 1);
        try {
            const detail = await app.client.routes.channel(room);
            if (asked < this.#shown) return;
            this.#shown = asked;
            const isFirst = !this.detail;
            this.detail = detail;
            for (const member of this.detail.channelMembers) app.store.learn(member);
            this.invalidate();
            // A name may have been begun meanwhile.
            if (isFirst) this.querySelector('maru-composer')?.completion.again();
        } catch {
            // The head is shown without the topic.
        }
    }

    render() {
        const room = app.store.rooms.get(this.room);
        if (!room) return;
        const user = room.user && (app.store.users.get(String(room.user.user_id)) ?? room.user);
        const name = user ? nameOf(user) : room.name;
        if (this.name !== name) {
            this.name = name;
            this.#title.replaceChildren(...(user ? [] : [icon('hash', 18)]), h('span', null, name));
            this.#title.title = name;
        }
        const notes = user
            ? [app.client.live.state === 'live' && app.store.presence.has(String(user.user_id)) && t(`presence.${app.store.isOnline(user.user_id)}`)]
            : [this.detail && t('room.members', { count: this.detail.channelMembers.length }), this.detail?.description];
        this.#sub.textContent = notes.filter(Boolean).join(' · ');
    }

    #markPanel() {
        for (const button of this.querySelectorAll('.room-head [data-panel]')) {
            button.setAttribute('aria-pressed', String(app.panel?.kind === button.dataset.panel));
        }
    }
}

customElements.define('maru-room', Room);
