import { h } from '../dom.js';
import { t } from '../i18n.js';

const hasFiles = (event) => !!event.dataTransfer?.types.includes('Files');

/** Takes the files that are dropped on a part of the page. Returns the sign that shows while files are held above it. */
export function dropSign(part, take) {
    const sign = h('div', { class: 'drop', hidden: true }, t('compose.drop'));
    let depth = 0;
    const show = (change) => {
        depth = Math.max(0, depth + change);
        sign.hidden = depth === 0;
    };
    part.addEventListener('dragenter', (event) => hasFiles(event) && show(1));
    part.addEventListener('dragleave', (event) => hasFiles(event) && show(-1));
    part.addEventListener('dragover', (event) => hasFiles(event) && event.preventDefault());
    part.addEventListener('drop', (event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        show(-depth);
        take(event.dataTransfer.files);
    });
    return sign;
}

/** Refuses files that are dropped beside such parts: a browser would show them in the place of the page. */
export function refuseOtherDrops() {
    addEventListener('dragover', (event) => {
        if (!hasFiles(event) || event.defaultPrevented) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = 'none';
    });
    addEventListener('drop', (event) => hasFiles(event) && event.preventDefault());
}
