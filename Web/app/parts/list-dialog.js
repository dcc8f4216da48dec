import { h } from '../dom.js';
import { explain, t } from '../i18n.js';
import { openDialog } from './dialog.js';

/**
 * A dialog with a list that is loaded page by page.
 * @param {(cursor?: string) => Promise<{items: object[], next: string|null}>} load
 * @param {(item: object, again: () => Promise<void>, dialog: HTMLDialogElement) => Element} row `again` loads the list anew
 * @param {string} nothing the text of an empty list
 */
export async function listDialog(title, load, row, nothing, { before, onclose } = {}) {
    const list = h('ul', { class: 'rows' });
    const state = h('div', { class: 'hint', role: 'status' });
    const more = h('button', { type: 'button', class: 'link-button', hidden: true, onclick: () => show(more.cursor) }, t('search.more'));
    let asked = 0;
    const show = async (cursor) => {
        // A reply is old if the list was asked for anew meanwhile.
        const number = cursor ? asked : (asked += 1);
        more.disabled = true;
        // A list that is shown stays until the new one is there.
        if (!list.childElementCount) state.replaceChildren(h('div', { class: 'loading' }, h('div', { class: 'spinner' })));
        try {
            const page = await load(cursor);
            if (number !== asked) return;
            const rows = page.items.map((item) => row(item, () => show(), dialog));
            if (cursor) list.append(...rows);
            else list.replaceChildren(...rows);
            more.cursor = page.next;
            more.hidden = !page.next;
            state.textContent = list.childElementCount ? '' : nothing;
        } catch (error) {
            if (number !== asked) return;
            state.replaceChildren(h('p', { class: 'fault' }, explain(error)), h('button', { type: 'button', class: 'button small', onclick: () => show(cursor) }, t('room.retry')));
        } finally {
            more.disabled = false;
        }
    };
    const dialog = openDialog(title, [before?.(() => show()), list, state, more], { className: 'wide', onclose });
    await show();
    return { dialog, show };
}
