import { h } from '../dom.js';
import { qrModules } from './qr.js';

/** Empty modules around a code, so that cameras find it. */
const QUIET = 4;
/** Pixels of a module in the canvas; the style decides how large it is shown. */
const MODULE = 6;

/** A picture of a QR code: dark on white in both themes, as cameras want it. */
export function qrPicture(text, label) {
    const modules = qrModules(text);
    const size = (modules.length + 2 * QUIET) * MODULE;
    const canvas = h('canvas', { class: 'qr', width: String(size), height: String(size), role: 'img', 'aria-label': label });
    const context = canvas.getContext('2d');
    context.fillStyle = '#fff';
    context.fillRect(0, 0, size, size);
    context.fillStyle = '#000';
    for (const [y, row] of modules.entries()) {
        for (const [x, isDark] of row.entries()) if (isDark) context.fillRect((x + QUIET) * MODULE, (y + QUIET) * MODULE, MODULE, MODULE);
    }
    return canvas;
}
