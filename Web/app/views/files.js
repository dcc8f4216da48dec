import { h, icon } from '../dom.js';
import { fileName, isImage, sizeOf } from '../format.js';
import { t } from '../i18n.js';
import { blurCanvas } from '../parts/blurhash.js';
import { open } from '../parts/open.js';
import { attempt } from '../parts/toast.js';
import { app } from '../state.js';

/** The largest box of the only picture of a message, in pixels of the page. */
const LARGEST_BOX = { width: 400, height: 320 };

/** The files of a message: previews of pictures, and links to everything else. */
export function fileList(message) {
    if (!message.files?.length) return null;
    const isSingle = message.files.length === 1;
    const previews = new Map((message.previews ?? []).map((each) => [each.file, each]));
    const images = message.files.filter((path) => isImage(path) || previews.has(path)).map((path) => ({ path, preview: previews.get(path) }));
    return h('div', { class: isSingle ? 'files single' : 'files' }, message.files.map((path) => {
        const image = images.find((each) => each.path === path);
        return image ? thumb(image, images, isSingle) : download(path);
    }));
}

function thumb({ path, preview }, images, isSingle) {
    const image = h('img', { alt: '' });
    const name = fileName(path);
    const button = h('button', {
        type: 'button', class: 'thumb', 'aria-label': t(preview?.animated ? 'message.animation' : 'message.image', { name }), title: name, data: { action: path },
        onclick: () => open('lightbox', 'openLightbox', images, images.findIndex((each) => each.path === path)),
    }, blurCanvas(preview?.blur), image, preview?.animated && h('span', { class: 'kind', 'aria-hidden': 'true' }, 'GIF'));
    if (isSingle && preview) fit(button, preview);
    image.addEventListener('load', () => image.classList.add('shown'));
    image.addEventListener('error', () => button.replaceWith(download(path)));
    const isLarge = isSingle && devicePixelRatio > 1.2;
    app.client.links.get(path, preview && (isLarge ? 'medium' : 'small')).then((address) => (address ? (image.src = address) : button.replaceWith(download(path))));
    return button;
}

/** Gives a picture its place before it is loaded, so that nothing moves when it appears. */
function fit(element, { width, height }) {
    const scale = Math.min(1, LARGEST_BOX.width / width, LARGEST_BOX.height / height);
    element.style.setProperty('width', `${Math.max(48, Math.round(width * scale))}px`);
    element.style.setProperty('height', 'auto');
    element.style.setProperty('aspect-ratio', `${width} / ${height}`);
}

function download(path) {
    const name = fileName(path);
    return h('button', { type: 'button', class: 'file', 'aria-label': t('message.download', { name }), data: { action: path }, onclick: () => save(path, name) },
        icon('file', 26), h('span', null, h('b', null, name), h('small', null, path.split('.').at(-1).toUpperCase())), icon('download', 18));
}

export const save = (path, name = fileName(path)) => attempt(async () => {
    const address = await app.client.links.get(path);
    // A failure of the network gives no address either.
    if (!address) throw Object.assign(new Error(name), { code: app.client.connection === 'offline' ? 'E00' : 'E13' });
    h('a', { href: address, download: name }).click();
});

/** A picture of a file that is still here; its sign if the browser cannot show it, as with most HEIC files. */
export function localPicture(file, size, props = {}) {
    const address = URL.createObjectURL(file);
    const image = h('img', { alt: '', src: address, ...props });
    for (const name of ['load', 'error']) image.addEventListener(name, () => URL.revokeObjectURL(address), { once: true });
    image.addEventListener('error', () => image.replaceWith(icon('file', size)));
    return image;
}

/** Files that are on their way. */
export function pendingFiles(files) {
    if (!files?.length) return null;
    return h('div', { class: files.length === 1 ? 'files single' : 'files' }, files.map((file) => {
        if (!file.type.startsWith('image/')) {
            return h('div', { class: 'file' }, icon('file', 26), h('span', null, h('b', null, file.name), h('small', null, sizeOf(file.size))));
        }
        return h('div', { class: 'thumb' }, localPicture(file, 26, { class: 'shown' }));
    }));
}
