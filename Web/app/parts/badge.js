import { h } from '../dom.js';

/** A count beside a name. The element around it tells screen readers the count in words, and the tip has the whole number. */
export const badge = (count) => h('span', { class: 'badge', 'aria-hidden': 'true', title: String(count) }, count > 99 ? '99+' : count);
