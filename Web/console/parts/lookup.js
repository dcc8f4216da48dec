import { h } from '../../app/dom.js';
import { t } from '../../app/i18n.js';
import { field } from '../../app/parts/dialog.js';
import { query } from './load.js';

/**
 * A page that finds things by a text and shows one of them: `#/PAGE/find/TEXT` and `#/PAGE/ID`. A page sets `page`, and fills `result` in
 * `find(text)` and `show(id)`.
 */
export class Lookup extends HTMLElement {
    connectedCallback() {
        const [first, text] = this.path;
        this.result = h('div', { class: 'result' });
        this.replaceChildren(
            query([field(t(`${this.page}.text`), { name: 'text', required: true, value: first === 'find' ? text : '' })], t('users.find'), ({ text }) => {
                const hash = `#/${this.page}/find/${encodeURIComponent(text)}`;
                if (hash === location.hash) this.find(text);
                else location.hash = hash;
            }),
            this.result);
        if (first === 'find' && text) this.find(text);
        else if (first) this.show(first);
    }
}
