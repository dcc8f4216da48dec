import { h } from '../../app/dom.js';
import { t } from '../../app/i18n.js';
import { operator } from '../operator.js';
import { act } from '../parts/act.js';
import { load } from '../parts/load.js';
import { record, shown, table } from '../parts/table.js';

const ACTIONS = ['dismiss', 'delete', 'warn', 'remove'];

/** The reports that operators answer. `#/reports/5` shows one. */
class Reports extends HTMLElement {
    connectedCallback() {
        this.result = h('div', { class: 'result' });
        const [id] = this.path;
        if (id) {
            this.replaceChildren(h('p', null, h('a', { href: '#/reports' }, t('console.back'))), this.result);
            return this.show(id);
        }
        const state = h('select', { class: 'input narrow', onchange: () => this.list(state.value) },
            ['open', 'answered'].map((each) => h('option', { value: each }, t(`reports.${each}`))));
        this.replaceChildren(h('label', { class: 'field' }, h('span', null, t('reports.state')), state), this.result);
        this.list('open');
    }

    list(state) {
        load(this.result, () => operator.get('chat-service', `/operator/reports?state=${state}`), ({ items, next }) => [
            table(t('page.reports'), ['id', 'type', 'reason', 'createdAt', 'dueAt'].map((each) => t(`reports.${each}`)), items.map((each) => [
                h('a', { href: `#/reports/${each.report_id}` }, each.report_id), each.type, each.reason, shown(each.createdAt), each.dueAt && shown(each.dueAt),
            ]), { empty: t('reports.none') }),
            next && h('p', { class: 'hint' }, t('reports.more')),
        ]);
    }

    show(id) {
        load(this.result, () => operator.get('chat-service', `/operator/reports/${encodeURIComponent(id)}`), (report) => this.view(report));
    }

    view(report) {
        const { messages = [], user, workspace, ...facts } = report;
        if (workspace) facts.workspace_id = `${workspace.name} (${facts.workspace_id})`;
        const answer = (action) => act(`reports.${action}`, report.report_id,
            () => operator.call('PUT', 'chat-service', `/operator/reports/${report.report_id}/${action}`), () => this.show(report.report_id));
        return [
            record({ ...facts, user: user && `${user.nickname} (${user.user_id})` }),
            messages.length > 0 && h('section', null, h('h2', null, t('reports.messages')), h('ol', { class: 'copies' }, messages.map((each) =>
                h('li', null, h('small', null, `${each.seq} · ${each.nickname} · `, shown(each.createdAt)), h('blockquote', null, each.content))))),
            report.state === 'open' && h('div', { class: 'acts', role: 'group', 'aria-label': t('reports.answer') }, ACTIONS.map(answer)),
        ];
    }
}

customElements.define('console-reports', Reports);
