import { h } from '../../app/dom.js';
import { t } from '../../app/i18n.js';

/** Shows a spinner in `host`, then the parts that `show` makes of the value, or the failure with a way to try again. */
export async function load(host, read, show) {
    const turn = (host.turn = (host.turn ?? 0) + 1);
    const fill = (...parts) => turn === host.turn && host.replaceChildren(...parts.flat().filter(Boolean));
    fill(h('div', { class: 'spinner', role: 'status', 'aria-label': t('console.loading') }));
    try {
        const value = await read();
        fill(show(value));
    } catch (error) {
        if (!error.status && error.status !== 0) console.error(error);
        fill(h('p', { class: 'fault', role: 'alert' }, error.status === 404 ? t('console.notFound') : error.text ?? String(error)),
            h('button', { type: 'button', class: 'button small', onclick: () => load(host, read, show) }, t('console.retry')));
    }
}

/** A form of one line above a page; `search` gets its values. */
export function query(fields, label, search) {
    return h('form', {
        class: 'query', role: 'search',
        onsubmit: (event) => {
            event.preventDefault();
            search(Object.fromEntries([...new FormData(event.target)].map(([name, value]) => [name, value.trim()])));
        },
    }, fields, h('button', { type: 'submit', class: 'button primary' }, label));
}
