import { h, icon, iconButton, keyed, View } from '../dom.js';
import { t } from '../i18n.js';
import { avatar, personAvatar } from '../parts/avatar.js';
import { badge } from '../parts/badge.js';
import { openMenu } from '../parts/menu.js';
import { open } from '../parts/open.js';
import { app } from '../state.js';

/** The workspaces, at the very left, and the account below them. */
class Rail extends View {
    #list = h('ul', { class: 'rail-list' });
    #account = h('button', { type: 'button', class: 'rail-item', 'aria-label': t('nav.account'), title: t('nav.account'), 'aria-haspopup': 'menu', data: { action: 'account' }, onclick: () => this.#openAccount() });

    setup() {
        this.replaceChildren(this.#list,
            h('button', { type: 'button', class: 'rail-item', 'aria-label': t('nav.addWorkspace'), title: t('nav.addWorkspace'), onclick: () => open('workspace', 'createWorkspace') }, icon('plus')),
            h('div', { class: 'rail-foot' }, iconButton('coin', t('coins.title'), () => open('coins', 'openCoins')), this.#account));
        this.listen(app.store, ['workspaces', 'rooms', 'users']);
        this.listen(app, 'route');
    }

    render() {
        keyed(this.#list, [...app.store.workspaces.values()].map((workspace) => {
            const id = String(workspace.workspace_id);
            const { unreadCount, mentionCount } = app.store.badge(id);
            const isCurrent = id === app.route.workspace;
            return { key: id, signature: [workspace, unreadCount, mentionCount, isCurrent], make: () => this.#item(workspace, { unreadCount, mentionCount, isCurrent }) };
        }));
        const me = app.store.users.get(app.store.me);
        if (me && this.shown !== me) {
            this.shown = me;
            this.#account.replaceChildren(personAvatar(me));
        }
    }

    #item(workspace, { unreadCount, mentionCount, isCurrent }) {
        const notes = [workspace.name, mentionCount && t('nav.mentionsOf', { count: mentionCount }), unreadCount && t('nav.unread', { count: unreadCount })].filter(Boolean);
        return h('li', null, h('button', {
            type: 'button', class: 'rail-item', 'aria-label': notes.join(', '), title: workspace.name, 'aria-current': isCurrent ? 'true' : undefined,
            data: { action: `workspace-${workspace.workspace_id}` },
            onclick: () => app.go({ workspace: String(workspace.workspace_id) }),
        }, avatar({ id: workspace.workspace_id, name: workspace.name, path: workspace.coverImage }),
        mentionCount ? badge(mentionCount) : unreadCount ? h('span', { class: 'dot', 'aria-hidden': 'true' }) : null));
    }

    #openAccount() {
        openMenu(this.#account, [
            { label: t('profile.title'), icon: 'edit', action: () => open('profile', 'openProfile') },
            { label: t('profile.settings'), icon: 'gear', action: () => open('settings', 'openSettings') },
            { label: t('account.title'), icon: 'users', action: () => open('account', 'openAccount') },
            'line',
            { label: t('profile.signOut'), icon: 'exit', action: () => app.client.session.signOut().catch(() => {}) },
        ]);
    }
}

customElements.define('maru-rail', Rail);
