import { h } from '../../app/dom.js';
import { t } from '../../app/i18n.js';
import { operator } from '../operator.js';
import { act } from '../parts/act.js';
import { load } from '../parts/load.js';
import { Lookup } from '../parts/lookup.js';
import { record, shown, table } from '../parts/table.js';

const call = (method, path) => operator.call(method, 'workspace-service', `/operator/workspaces${path}`);

/** Workspaces with their members: `#/workspaces/find/TEXT` and `#/workspaces/3`. */
class Workspaces extends Lookup {
    page = 'workspaces';

    find(text) {
        load(this.result, () => call('GET', `?text=${encodeURIComponent(text)}`), ({ workspaces }) =>
            table(t('page.workspaces'), [t('users.id'), t('users.name'), t('workspaces.owner'), t('workspaces.members'), t('workspaces.channels'), t('users.createdAt')], workspaces.map((each) => [
                h('a', { href: `#/workspaces/${each.workspace_id}` }, each.workspace_id), each.name, userLink(each.owner_id), each.members, each.channels, shown(each.createdAt),
            ]), { empty: t('workspaces.none') }));
    }

    show(id) {
        const path = `/${encodeURIComponent(id)}`;
        load(this.result, async () => {
            const workspace = await call('GET', path);
            return { workspace, members: (await call('GET', `${path}/members`)).members };
        }, ({ workspace, members }) => [
            record(workspace),
            operator.mayAct && h('section', null, h('h2', null, t('users.acts')), h('div', { class: 'acts' },
                act('workspaces.close', id, () => call('DELETE', path), () => this.closed()))),
            table(t('workspaces.members'), [t('users.id'), t('users.role'), t('users.joinedAt'), t('workspaces.act')], members.map((each) => [
                userLink(each.user_id), each.role, shown(each.joinedAt),
                each.role === 'owner' ? undefined : act('workspaces.hand-over', each.user_id, () => call('PUT', `${path}/owner/${each.user_id}`), () => this.show(id)),
            ])),
            h('p', null, h('a', { href: `#/log/workspaces/${id}` }, t('page.log'))),
        ]);
    }

    closed() {
        this.result.replaceChildren(h('p', { class: 'hint', role: 'status' }, t('workspaces.closed')));
    }
}

const userLink = (id) => h('a', { href: `#/users/${id}` }, id);

customElements.define('console-workspaces', Workspaces);
