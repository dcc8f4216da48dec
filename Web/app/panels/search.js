import { h, View } from '../dom.js';
import { explain, t } from '../i18n.js';
import { layers } from '../layers.js';
import { app } from '../state.js';
import { hitRow } from './hit.js';

/** A search that takes longer says so; most are faster, and screen readers would read it at each letter. */
const SLOW_AFTER = 500;

/** The search over all messages of the workspace, as one types. */
class Search extends View {
    #input = h('input', { class: 'input', type: 'search', 'aria-label': t('search.label'), placeholder: t('search.label'), maxlength: '200' });
    #state = h('p', { class: 'hint', role: 'status' }, t('empty.searchHint'));
    #list = h('ol');
    #more = h('button', { type: 'button', class: 'link-button', hidden: true, onclick: () => this.#search(this.next) }, t('search.more'));
    #abort = null;

    setup() {
        this.#input.value = this.panel.query ?? '';
        this.replaceChildren(h('div', { class: 'search-box' }, this.#input, this.#state), h('div', { class: 'panel-body' }, this.#list, this.#more));
        this.#input.addEventListener('input', () => {
            clearTimeout(this.timer);
            this.timer = setTimeout(() => this.#search(), 180);
        });
        this.#input.addEventListener('keydown', (event) => {
            // An input method chooses among its candidates with the arrow keys.
            if (event.key !== 'ArrowDown' || event.isComposing || event.keyCode === 229) return;
            event.preventDefault();
            this.#list.querySelector('button')?.focus();
        });
        this.#list.addEventListener('keydown', (event) => {
            const step = { ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling' }[event.key];
            if (!step) return;
            event.preventDefault();
            (document.activeElement.parentElement[step]?.querySelector('button') ?? (event.key === 'ArrowUp' ? this.#input : null))?.focus();
        });
        // A search that begins after the panel was closed would keep the panel in the history.
        this.onEnd(() => clearTimeout(this.timer));
        if (this.panel.query) this.#search();
    }

    async #search(cursor = null) {
        const query = this.#input.value.trim();
        // The results on the screen may be those of another text: while a search is under way, or after one that failed.
        if (query !== this.shown) cursor = null;
        this.panel.query = query;
        layers.note(this.panel);
        this.#abort?.abort();
        if (!query) {
            this.#list.replaceChildren();
            this.#more.hidden = true;
            this.#state.textContent = t('empty.searchHint');
            return;
        }
        this.#abort = new AbortController();
        const { signal } = this.#abort;
        const slow = setTimeout(() => (this.#state.textContent = t('search.searching')), SLOW_AFTER);
        try {
            const { items, next, complete } = await app.client.routes.search(app.route.workspace, query, cursor, signal);
            const rows = items.map((hit) => hitRow(hit));
            if (cursor) this.#list.append(...rows);
            else this.#list.replaceChildren(...rows);
            [this.shown, this.next] = [query, next];
            this.#more.hidden = !next;
            const count = this.#list.childElementCount;
            this.#state.textContent = complete === false ? t('search.incomplete') : count ? t('search.found', { count: next ? `${count}+` : count }) : t('empty.search');
        } catch (error) {
            if (signal.aborted) return;
            this.#state.replaceChildren(explain(error), ' ', h('button', { type: 'button', class: 'link-button', onclick: () => this.#search(cursor) }, t('room.retry')));
        } finally {
            clearTimeout(slow);
        }
    }
}

customElements.define('maru-search', Search);
