import { h } from '../dom.js';
import { momentOf } from '../format.js';
import { explain, t } from '../i18n.js';
import { openDialog } from '../parts/dialog.js';
import { toast } from '../parts/toast.js';
import { app } from '../state.js';

const ASK_EVERY = 3000;

/** The copy of everything that the server holds of the account: requested here, and downloaded once it is ready. */
export async function openExport() {
    const { routes } = app.client;
    const state = h('p', { role: 'status' });
    const button = h('button', { type: 'button', class: 'button', onclick: () => order() }, t('export.start'));
    const download = h('a', { class: 'button primary', hidden: true, download: '' }, t('export.download'));
    let timer = null;
    let isClosed = false;
    const lookLater = () => {
        if (!isClosed) timer = setTimeout(look, ASK_EVERY);
    };
    const show = (found) => {
        const texts = { none: t('export.none'), pending: t('export.waiting'), failed: t('export.failed'), ready: found.expiresAt && t('export.ready', { time: momentOf(found.expiresAt) }) };
        state.textContent = texts[found.state] ?? '';
        button.hidden = found.state === 'pending';
        download.hidden = found.state !== 'ready';
        if (found.url) download.href = new URL(`/v1${found.url}`, location.origin).href;
        if (found.state === 'pending') lookLater();
    };
    const look = async () => {
        try {
            show(await routes.export());
        } catch (error) {
            state.textContent = explain(error);
            button.hidden = true;
            if (error.isTemporary) lookLater();
        }
    };
    const order = async () => {
        button.disabled = true;
        try {
            show(await routes.startExport());
        } catch (error) {
            toast(error.code === 'E98' ? t('export.tooSoon', { time: momentOf(Date.now() + error.retryAfter * 1000) }) : explain(error), { bad: true });
        } finally {
            button.disabled = false;
        }
    };
    const close = () => {
        isClosed = true;
        clearTimeout(timer);
    };
    button.hidden = true;
    openDialog(t('account.export'), [h('p', { class: 'hint' }, t('export.text')), state, h('div', { class: 'dialog-foot' }, button, download)], { onclose: close });
    await look();
}
