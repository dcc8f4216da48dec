import { h } from '../../app/dom.js';
import { momentOf } from '../../app/format.js';
import { currentLanguage, t } from '../../app/i18n.js';

/**
 * A table with a caption, which scrolls in its own frame if the window is narrow.
 * @param {string} caption
 * @param {string[]} columns their titles
 * @param {any[][]} rows of texts and elements
 */
export function table(caption, columns, rows, { empty = t('console.empty') } = {}) {
    if (!rows.length) return h('section', null, h('h2', null, caption), h('p', { class: 'hint' }, empty));
    return h('div', { class: 'frame', role: 'region', 'aria-label': caption, tabindex: '0' }, h('table', null,
        h('caption', null, caption),
        h('thead', null, h('tr', null, columns.map((each) => h('th', { scope: 'col' }, each)))),
        h('tbody', null, rows.map((row) => h('tr', null, row.map((each) => h('td', null, each ?? '–')))))));
}

/** The members of a record, in words where the page has them. */
export function record(object, names = Object.keys(object)) {
    return h('dl', { class: 'record' }, names.filter((name) => object[name] !== undefined && object[name] !== null).map((name) =>
        h('div', null, h('dt', null, label(name)), h('dd', null, shown(object[name])))));
}

/** The title of a member; one without a text keeps its name. */
export function label(name) {
    const text = t(`field.${name}`);
    return text === `field.${name}` ? name : text;
}

const EXACT = { year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3, hourCycle: 'h23' };

/** A moment to the millisecond. */
export const exactly = (value) => h('time', { datetime: value, title: value }, new Date(value).toLocaleString(currentLanguage(), EXACT));

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:?\d\d)$/;

export function shown(value) {
    if (typeof value === 'boolean') return t(value ? 'console.yes' : 'console.no');
    if (Array.isArray(value)) return value.map(String).join(', ');
    return TIME.test(value) ? h('time', { datetime: value, title: value }, momentOf(value)) : String(value);
}
