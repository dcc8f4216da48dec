import { h, icon } from '../dom.js';
import { t } from '../i18n.js';
import { personAvatar } from '../parts/avatar.js';
import { ask } from '../parts/dialog.js';
import { listDialog } from '../parts/list-dialog.js';
import { openMenu } from '../parts/menu.js';
import { attempt, toast } from '../parts/toast.js';
import { app } from '../state.js';
import { inviteMember } from './workspace.js';

/** A role reaches only lower ones. */
const RANKS = { owner: 3, admin: 2, member: 1, guest: 0 };

/** Everybody of a workspace with their roles and presence. Owners and admins change who is in it. */
export async function showMembers(workspace) {
    const id = String(workspace.workspace_id);
    const { routes } = app.client;
    const own = await attempt(() => routes.role(id));
    if (!own) return;
    let rank = RANKS[own.role];
    const seen = new Set();
    // A guest is told the people of its channels, without their roles.
    const load = (cursor) => (own.role === 'guest'
        ? routes.members(id).then((items) => ({ items: items.map((user) => ({ user })), next: null }))
        : routes.roles(id, cursor));
    const row = ({ user: member, role }, again, dialog) => {
        const user = String(member.user_id);
        app.store.learn(member);
        seen.add(user);
        app.client.watch.set('members', [...seen]);
        const act = async (question, work, done) => {
            if (!(await ask(question, { danger: true }))) return;
            await attempt(async () => {
                await work();
                if (done) toast(done);
            });
            await app.client.loadWorkspaces();
            rank = RANKS[(await attempt(() => routes.role(id)))?.role] ?? rank;
            await again();
        };
        const isBelow = role && rank > RANKS[role] && rank >= RANKS.admin;
        const name = member.nickname;
        const more = h('button', { type: 'button', class: 'icon-button', 'aria-label': `${t('message.more')}: ${name}`, 'aria-haspopup': 'menu', onclick: () => openMenu(more, [
            { label: t('dm.write'), icon: 'send', action: () => attempt(async () => {
                const room = await app.client.openDm(id, user);
                dialog.close();
                app.go({ workspace: id, room: room.key });
            }) },
            rank === RANKS.owner && { label: t('workspace.handOver'), icon: 'users', action: () => act(t('workspace.handOverAsk', { name }), () => routes.handOverWorkspace(id, user)) },
            isBelow && 'line',
            isBelow && { label: t('channel.remove'), icon: 'exit', danger: true, action: () => act(t('workspace.removeAsk', { name }), () => routes.removeMember(id, user)) },
            isBelow && { label: t('bans.ban'), icon: 'ban', danger: true, action: () => act(t('bans.ask', { name }), () => routes.ban(id, user), t('bans.done', { name })) },
        ]) }, icon('more', 18));
        const dot = h('span', { class: 'presence', data: { state: app.store.isOnline(user), user } }, personAvatar(member));
        return h('li', { class: 'person' }, dot,
            h('div', null, h('b', null, name), h('small', null, [role && t(`role.${role}`), member.email].filter(Boolean).join(' · '))), user !== app.store.me && more);
    };
    const ends = [];
    const invite = () => rank >= RANKS.admin && h('div', null, h('button', { type: 'button', class: 'button', onclick: (event) => (event.target.closest('dialog').close(), inviteMember(workspace)) }, icon('plus', 16), t('workspace.invite')));
    const { dialog, show } = await listDialog(t('workspace.members'), load, row, '', {
        before: invite,
        onclose: () => {
            for (const end of ends) end();
            app.client.watch.set('members', []);
        },
    });
    if (!dialog.open) return;
    ends.push(
        app.store.on('presence', () => {
            for (const dot of dialog.querySelectorAll('.presence')) dot.dataset.state = app.store.isOnline(dot.dataset.user);
        }),
        app.client.on('event', ({ name, data }) => name === 'member' && !data.room && String(data.workspace_id) === id && show()));
}
