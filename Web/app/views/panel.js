import { h, iconButton, View } from '../dom.js';
import { t } from '../i18n.js';
import { app } from '../state.js';
import '../panels/thread.js';
import '../panels/search.js';
import '../panels/list.js';
import '../panels/details.js';

const TITLES = { thread: 'room.thread', search: 'search.title', details: 'room.details', pins: 'room.pins', saved: 'nav.saved', mentions: 'nav.mentions', threads: 'nav.threads', scheduled: 'nav.scheduled' };

/** The panel at the right: a thread, the search, a list of messages or the details of the room. */
class Panel extends View {
    setup() {
        this.listen(app, 'panel', () => this.#show());
        this.#show();
    }

    #show() {
        const { panel } = app;
        const opener = this.opener;
        if (!panel) {
            const hadFocus = this.contains(document.activeElement);
            this.className = '';
            this.replaceChildren();
            this.removeAttribute('role');
            this.removeAttribute('aria-label');
            if (hadFocus) (opener?.isConnected ? opener : document.querySelector('maru-room textarea'))?.focus();
            return;
        }
        if (!this.contains(document.activeElement)) this.opener = document.activeElement;
        const name = { thread: 'maru-thread', search: 'maru-search', details: 'maru-details' }[panel.kind] ?? 'maru-list';
        const body = Object.assign(document.createElement(name), { panel });
        this.className = 'panel';
        this.setAttribute('role', 'complementary');
        this.setAttribute('aria-label', t(TITLES[panel.kind]));
        this.replaceChildren(h('div', { class: 'panel-head' }, h('h2', null, t(TITLES[panel.kind])), iconButton('close', t('room.close'), () => app.show(null))), body);
        if (panel.kind !== 'thread') (body.querySelector('input') ?? this.querySelector('.icon-button')).focus();
    }
}

customElements.define('maru-panel', Panel);
