import { h } from '../dom.js';
import { t } from '../i18n.js';

const LARGEST = 512;

/** A field for a picture: shows the chosen one and returns it as a small JPEG without its metadata. */
export function pictureField(shown) {
    let file = null;
    const input = h('input', {
        type: 'file', accept: 'image/*', class: 'visually-hidden',
        onchange: () => {
            [file] = input.files;
            if (!file) return;
            const address = URL.createObjectURL(file);
            shown.replaceChildren(h('img', { alt: '', src: address, onload: () => URL.revokeObjectURL(address) }));
        },
    });
    const element = h('div', { class: 'picture' }, shown, h('label', { class: 'button' }, t('workspace.image'), input));
    return { element, file: () => (file ? reduced(file) : null) };
}

async function reduced(file) {
    const bitmap = await createImageBitmap(file);
    const scale = Math.min(1, LARGEST / Math.max(bitmap.width, bitmap.height));
    const canvas = h('canvas', { width: String(Math.round(bitmap.width * scale)), height: String(Math.round(bitmap.height * scale)) });
    const context = canvas.getContext('2d');
    // A JPEG has no transparency, and black takes its place otherwise.
    context.fillStyle = '#fff';
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    bitmap.close();
    return new Promise((resolve) => canvas.toBlob((blob) => resolve(new File([blob], 'image.jpg', { type: 'image/jpeg' })), 'image/jpeg', 0.86));
}
