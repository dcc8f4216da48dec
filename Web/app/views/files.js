import { h, icon } from '../dom.js';
import { fileName, isImage, sizeOf } from '../format.js';
import { t } from '../i18n.js';
import { attempt } from '../parts/toast.js';
import { app } from '../state.js';

/** The files of a message: previews of pictures, and links to everything else. */
export function fileList(message) {
    if (!message.files?.length) return null;
    const images = message.files.filter(isImage);
    return h('div', { class: message.files.length === 1 ? 'files single' : 'files' }, message.files.map((path) =>
        isImage(path) ? thumb(path, images) : download(path)));
}

function thumb(path, images) {
    const image = h('img', { alt: '' });
    const name = fileName(path);
    const button = h('button', {
        type: 'button', class: 'thumb', 'aria-label': t('message.image', { name }), title: name, data: { action: path },
        onclick: async () => (await import('../dialogs/lightbox.js')).openLightbox(images, images.indexOf(path)),
    }, image);
    image.addEventListener('load', () => image.classList.add('shown'));
    image.addEventListener('error', () => button.replaceWith(download(path)));
    app.client.links.get(path).then((address) => (address ? (image.src = address) : button.replaceWith(download(path))));
    return button;
}

function download(path) {
    const name = fileName(path);
    return h('button', { type: 'button', class: 'file', 'aria-label': t('message.download', { name }), data: { action: path }, onclick: () => save(path, name) },
        icon('file', 26), h('span', null, h('b', null, name), h('small', null, path.split('.').at(-1).toUpperCase())), icon('download', 18));
}

export const save = (path, name = fileName(path)) => attempt(async () => {
    const address = await app.client.links.get(path);
    if (!address) throw Object.assign(new Error(name), { code: 'E13' });
    h('a', { href: address, download: name }).click();
});

/** Files that are on their way. */
export function pendingFiles(files) {
    if (!files?.length) return null;
    return h('div', { class: files.length === 1 ? 'files single' : 'files' }, files.map((file) => {
        if (!file.type.startsWith('image/')) {
            return h('div', { class: 'file' }, icon('file', 26), h('span', null, h('b', null, file.name), h('small', null, sizeOf(file.size))));
        }
        const address = URL.createObjectURL(file);
        const image = h('img', { alt: '', class: 'shown', src: address });
        image.addEventListener('load', () => URL.revokeObjectURL(address));
        return h('div', { class: 'thumb' }, image);
    }));
}
