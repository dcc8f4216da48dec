import { h, View } from '../dom.js';
import { t } from '../i18n.js';
import { dropSign } from '../parts/drop.js';
import { app } from '../state.js';

/** A thread with its composer. */
class Thread extends View {
    setup() {
        const { room, seq } = this.panel;
        // A list may name a room that the user is no longer in.
        if (!app.store.rooms.has(room)) return this.replaceChildren(h('p', { class: 'empty', role: 'status' }, t('error.E13')));
        const make = (name) => Object.assign(document.createElement(name), { room, thread: seq });
        const composer = make('maru-composer');
        return this.replaceChildren(make('maru-timeline'), composer, dropSign(this, (files) => composer.attach(files)));
    }
}

customElements.define('maru-thread', Thread);
