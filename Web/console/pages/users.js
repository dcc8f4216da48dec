import { h } from '../../app/dom.js';
import { t } from '../../app/i18n.js';
import { operator } from '../operator.js';
import { act } from '../parts/act.js';
import { load } from '../parts/load.js';
import { Lookup } from '../parts/lookup.js';
import { record, shown, table } from '../parts/table.js';

const auth = (method, path) => operator.call(method, 'auth-service', `/operator${path}`);

/** Accounts with their sessions and workspaces: `#/users/find/TEXT` and `#/users/5`. */
class Users extends Lookup {
    page = 'users';

    find(text) {
        load(this.result, () => auth('GET', `/users?text=${encodeURIComponent(text)}`), ({ users }) =>
            table(t('page.users'), ['id', 'state', 'nickname', 'email', 'createdAt'].map((each) => t(`users.${each}`)), users.map((each) => [
                h('a', { href: `#/users/${each.user_id}` }, each.user_id), each.state, each.nickname, each.email, shown(each.createdAt),
            ]), { empty: t('users.none') }));
    }

    show(id) {
        const user = encodeURIComponent(id);
        load(this.result, async () => {
            const account = await auth('GET', `/users/${user}`);
            const [{ sessions }, { workspaces }] = await Promise.all([
                auth('GET', `/users/${user}/sessions`), operator.get('workspace-service', `/operator/users/${user}/workspaces`),
            ]);
            return { account, sessions, workspaces };
        }, ({ account, sessions, workspaces }) => [
            record(account),
            account.state !== 'deleted' && operator.mayAct && this.acts(account),
            table(t('users.sessions'), [t('users.session'), t('users.app'), t('field.createdAt'), t('users.expiresAt'), t('users.end')], sessions.map((each) => [
                each.session_id, each.app, shown(each.createdAt), shown(each.expiresAt),
                act('sessions.end', each.session_id, () => auth('DELETE', `/sessions/${each.session_id}`), () => this.show(id)),
            ]), { empty: t('users.noSessions') }),
            table(t('users.workspaces'), ['id', 'name', 'role', 'joinedAt'].map((each) => t(`users.${each}`)), workspaces.map((each) => [
                h('a', { href: `#/workspaces/${each.workspace_id}` }, each.workspace_id), each.name, each.role, shown(each.joinedAt),
            ]), { empty: t('users.noWorkspaces') }),
            h('p', null, h('a', { href: `#/purchases/of/${id}` }, t('page.purchases')), ' · ', h('a', { href: `#/log/users/${id}` }, t('page.log'))),
        ]);
    }

    acts({ user_id: id, state, secondFactor }) {
        const again = () => this.show(id);
        const exported = h('p', { class: 'hint', role: 'status' });
        return h('section', null, h('h2', null, t('users.acts')), h('div', { class: 'acts' },
            act('users.sign-out', id, () => auth('DELETE', `/users/${id}/sessions`), again),
            state === 'disabled'
                ? act('users.enable', id, () => auth('DELETE', `/users/${id}/disabled`), again, { isHarmless: true })
                : act('users.disable', id, () => auth('PUT', `/users/${id}/disabled`), again),
            secondFactor && act('users.reset-second-factor', id, () => auth('DELETE', `/users/${id}/second-factor`), again),
            act('users.export', id, () => auth('POST', `/users/${id}/export`), (reply) => this.follow(id, reply, exported), { isHarmless: true }),
            act('users.delete', id, () => auth('DELETE', `/users/${id}?messages=keep`), again),
            act('users.delete-messages', id, () => auth('DELETE', `/users/${id}?messages=delete`), again)), exported);
    }

    /** Waits for the archive; its link is for the owner. */
    async follow(id, reply, line) {
        try {
            for (; ; reply = await auth('GET', `/users/${id}/export`)) {
                line.replaceChildren(t(`export.${reply.state}`), ' ', reply.url ? h('code', null, reply.url) : '');
                if (reply.state === 'ready' || reply.state === 'failed' || !line.isConnected) return;
                await new Promise((resolve) => setTimeout(resolve, 2000));
            }
        } catch (error) {
            line.textContent = error.text ?? String(error);
        }
    }
}

customElements.define('console-users', Users);
