import { h } from '../dom.js';
import { explain } from '../i18n.js';

let host = null;

/** Tells something in passing, above dialogs too; screen readers hear it. */
export function toast(text, { bad = false } = {}) {
    if (!host?.isConnected) document.body.append((host = h('div', { class: 'toasts', popover: 'manual', role: 'status', 'aria-live': 'polite' })));
    if (host.matches(':popover-open')) host.hidePopover();
    host.showPopover();
    const message = h('div', { class: bad ? 'toast bad' : 'toast' }, text);
    host.append(message);
    setTimeout(() => {
        message.remove();
        if (!host.childElementCount && host.matches(':popover-open')) host.hidePopover();
    }, bad ? 6000 : 3000);
}

/** Runs a piece of work and tells its failure in words. Returns the result, or undefined. */
export async function attempt(work) {
    try {
        return await work();
    } catch (error) {
        if (error?.name !== 'AbortError') toast(explain(error), { bad: true });
        if (!error?.code) console.error(error);
        return undefined;
    }
}
