import { h } from '../../app/dom.js';
import { t } from '../../app/i18n.js';

/** A line for each of these instances that does not answer, so that a table without them is not taken for the whole. */
export const silence = (instances) => instances.filter((each) => each.isSilent).map(({ service, address }) =>
    h('p', { class: 'fault', role: 'alert' }, t('console.silent', { service }), ' ', h('code', null, address)));
