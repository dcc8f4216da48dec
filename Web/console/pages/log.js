import { h } from '../../app/dom.js';
import { t } from '../../app/i18n.js';
import { field } from '../../app/parts/dialog.js';
import { operator } from '../operator.js';
import { load, query } from '../parts/load.js';
import { exactly, table } from '../parts/table.js';

/** The operators' log, newest first. `#/log/users/5` shows the entries about that user. */
class OperatorLog extends HTMLElement {
    connectedCallback() {
        this.result = h('div', { class: 'result' });
        this.replaceChildren(
            query(['operator', 'act', 'subject'].map((name) => field(t(`log.${name}`), { name, value: name === 'subject' ? this.path.join('/') : '' })),
                t('console.show'), (values) => this.list(values)),
            this.result);
        this.list({ subject: this.path.join('/') });
    }

    list(values, host = this.result) {
        const parts = Object.entries(values).filter(([, value]) => value).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
        load(host, () => operator.get('workspace-service', `/operator/acts?${['limit=100', ...parts].join('&')}`), ({ acts, next }) => {
            const more = h('div', { class: 'result' });
            if (next) more.append(h('button', { type: 'button', class: 'button small', onclick: () => this.list({ ...values, cursor: next }, more) }, t('log.more')));
            return [
                table(t('page.log'), ['at', 'operator', 'address', 'act', 'subject', 'outcome'].map((each) => t(`log.${each}`)), acts.map((each) => [
                    exactly(each.at), each.operator, each.address, h('code', null, each.act), each.subject, each.outcome,
                ])), more,
            ];
        });
    }
}

customElements.define('console-log', OperatorLog);
