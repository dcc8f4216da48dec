import { h } from '../dom.js';
import { explain } from '../i18n.js';

/** A screen reader announces text that is added to an element that it knows, so the text follows a moment after its element. */
const PLACE_FIRST = 100;
const host = h('div', { class: 'toasts', popover: 'manual', role: 'status', 'aria-live': 'polite' });

/** Shows a short notice, above dialogs too; screen readers announce it. */
export function toast(text, { bad = false } = {}) {
    place();
    setTimeout(() => {
        // A dialog may have been opened or closed meanwhile.
        place();
        const message = h('div', { class: bad ? 'toast bad' : 'toast' }, text);
        host.append(message);
        setTimeout(() => {
            message.remove();
            if (!host.childElementCount && host.matches(':popover-open')) host.hidePopover();
        }, bad ? 6000 : 3000);
    }, PLACE_FIRST);
}

/** Everything outside of an open dialog is hidden from screen readers, so the notices stand in the dialog until it is closed. */
function place() {
    const dialog = [...document.querySelectorAll('dialog[open]')].at(-1);
    const part = dialog ?? document.body;
    if (host.parentElement !== part) {
        part.append(host);
        dialog?.addEventListener('close', () => host.childElementCount && place(), { once: true });
    }
    if (!host.matches(':popover-open')) host.showPopover();
}

/** Runs a piece of work and shows its failure in words. Returns the result, or undefined. */
export async function attempt(work) {
    try {
        return await work();
    } catch (error) {
        if (error?.name !== 'AbortError') toast(explain(error), { bad: true });
        if (!error?.code) console.error(error);
        return undefined;
    }
}
