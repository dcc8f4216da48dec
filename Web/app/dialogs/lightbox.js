import { h, iconButton } from '../dom.js';
import { fileName } from '../format.js';
import { t } from '../i18n.js';
import { showDialog } from '../parts/dialog.js';
import { app } from '../state.js';
import { save } from '../views/files.js';

/**
 * Shows pictures of a message over the page; arrow keys go from one to the next. A picture that moves is loaded whole.
 * @param {{path: string, preview?: object}[]} pictures
 */
export function openLightbox(pictures, first) {
    let place = first;
    const title = h('h2');
    const image = h('img', { alt: '', onerror: () => fail() });
    const fault = h('p', { role: 'status' });
    const count = h('span');
    const go = (step) => show((place + step + pictures.length) % pictures.length);
    const dialog = h('dialog', { class: 'lightbox', 'aria-label': t('lightbox.title') },
        h('header', { class: 'dialog-head' }, title, count,
            pictures.length > 1 && iconButton('back', t('lightbox.previous'), () => go(-1)),
            pictures.length > 1 && iconButton('send', t('lightbox.next'), () => go(1)),
            iconButton('download', t('message.download', { name: '' }), () => save(pictures[place].path)),
            iconButton('close', t('dialog.close'), () => dialog.close())),
        h('figure', null, image, fault));
    const fail = () => {
        image.hidden = true;
        fault.textContent = t('lightbox.failed');
    };
    async function show(next) {
        place = next;
        const { path, preview } = pictures[place];
        title.textContent = fileName(path);
        count.textContent = pictures.length > 1 ? `${place + 1} / ${pictures.length}` : '';
        image.hidden = false;
        fault.textContent = '';
        image.removeAttribute('src');
        image.alt = t('message.image', { name: fileName(path) });
        const address = await app.client.links.get(path, preview && !preview.animated ? 'medium' : undefined);
        if (pictures[place].path !== path) return;
        if (address) image.src = address;
        else fail();
    }
    dialog.addEventListener('keydown', (event) => {
        const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (step) go(step);
    });
    dialog.addEventListener('click', (event) => ['FIGURE', 'DIALOG'].includes(event.target.tagName) && dialog.close());
    showDialog(dialog);
    show(place);
}
