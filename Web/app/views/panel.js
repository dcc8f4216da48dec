import { giveBack, h, hasMouse, iconButton, View } from '../dom.js';
import { t } from '../i18n.js';
import { app } from '../state.js';
import '../panels/thread.js';
import '../panels/search.js';
import '../panels/list.js';
import '../panels/details.js';

const TITLES = { thread: 'room.thread', search: 'search.title', details: 'room.details', pins: 'room.pins', saved: 'nav.saved', mentions: 'nav.mentions', threads: 'nav.threads', scheduled: 'nav.scheduled' };

/** The panel at the right: a thread, the search, a list of messages or the details of the room. */
class Panel extends View {
    #isNarrow = matchMedia('(max-width: 760px)');

    setup() {
        this.listen(app, 'panel', () => this.#show());
        const resized = () => this.#cover();
        this.#isNarrow.addEventListener('change', resized);
        this.onEnd(() => this.#isNarrow.removeEventListener('change', resized));
        this.#show();
    }

    /** On a narrow screen the panel covers the rest, and screen readers and the keyboard stay in the panel. */
    #cover() {
        const isCovered = !!app.panel && this.#isNarrow.matches;
        for (const each of this.parentElement.children) if (each !== this && !each.matches('.notice')) each.inert = isCovered;
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
            this.#cover();
            if (hadFocus) giveBack(opener);
            // Nothing has opened it, as after a step in the history.
            if (hadFocus && document.activeElement === document.body) document.querySelector(hasMouse() ? 'maru-room textarea' : '#main')?.focus();
            return;
        }
        if (!this.contains(document.activeElement)) this.opener = document.activeElement;
        const name = { thread: 'maru-thread', search: 'maru-search', details: 'maru-details' }[panel.kind] ?? 'maru-list';
        const body = Object.assign(document.createElement(name), { panel });
        this.className = 'panel';
        this.setAttribute('role', 'complementary');
        this.setAttribute('aria-label', t(TITLES[panel.kind]));
        this.replaceChildren(h('div', { class: 'panel-head' }, h('h2', null, t(TITLES[panel.kind])), iconButton('close', t('room.close'), () => app.show(null))), body);
        this.#cover();
        // The composer of a thread has the focus, but not on a touch screen, where it opens the keyboard.
        if (panel.kind !== 'thread') (body.querySelector('input') ?? this.querySelector('.icon-button')).focus();
        else if (!this.contains(document.activeElement)) this.querySelector('.icon-button').focus();
    }
}

customElements.define('maru-panel', Panel);
