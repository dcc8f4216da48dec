import { h, icon, iconButton } from '../dom.js';
import { momentOf } from '../format.js';
import { t } from '../i18n.js';
import { personAvatar } from '../parts/avatar.js';
import { ask, field, form } from '../parts/dialog.js';
import { listDialog } from '../parts/list-dialog.js';
import { open } from '../parts/open.js';
import { attempt, toast } from '../parts/toast.js';
import { app } from '../state.js';
import { fileList } from '../views/files.js';

const ROLES = ['admin', 'member', 'guest'];
const DAYS = ['1', '7', '30'];

const choice = (label, name, options, chosen, onchange) => h('label', { class: 'field' }, h('span', null, label),
    h('select', { class: 'input', name, onchange }, options.map(([value, text]) => h('option', { value, selected: value === chosen }, text))));

const roleOptions = (roles) => roles.map((each) => [each, t(`role.${each}`)]);

/** Links that let people in, with an end and a number of uses. */
export async function openInvitations({ workspace_id: id }) {
    const { routes } = app.client;
    const channels = await attempt(() => routes.channels(id));
    if (!channels) return;
    const addressOf = (each) => each.link ?? `${location.origin}/#/join/${each.token}`;
    const copy = (each) => attempt(async () => {
        await navigator.clipboard.writeText(addressOf(each));
        toast(t('message.copied'));
    });
    // A guest sees nothing but the channels of the invitation.
    const channel = choice(t('invite.channel'), 'channel', channels.map((each) => [String(each.channel_id), each.name]));
    channel.hidden = true;
    const offered = String(app.store.workspaces.get(String(id))?.owner_id) === app.store.me ? ['member', 'guest', 'admin'] : ['member', 'guest'];
    const make = (again) => form([
        h('div', { class: 'two' },
            choice(t('invite.role'), 'role', roleOptions(offered), 'member', (event) => (channel.hidden = event.target.value !== 'guest')),
            choice(t('invite.days'), 'days', DAYS.map((each) => [each, t('invite.forDays', { count: Number(each) })]), '7')),
        channel,
        field(t('invite.uses'), { name: 'uses', type: 'number', min: '1', max: '10000', inputmode: 'numeric' }, { hint: t('invite.usesHint') }),
    ], {
        label: t('invite.make'),
        submit: async ({ role, days, uses, channel: into }) => {
            await routes.createInvitation(id, { role, channels: role === 'guest' ? [into] : undefined, expiresIn: Number(days) * 86_400, uses: uses ? Number(uses) : undefined });
            await again();
        },
    });
    const row = (each, again) => h('li', { class: 'row' }, h('div', { class: 'grow' },
        h('b', null, each.email ?? `${t(`role.${each.role}`)} · ${each.uses ? t('invite.usedOf', { used: each.used, uses: each.uses }) : t('invite.used', { used: each.used })}`),
        h('small', null, each.state === 'active' ? t('invite.until', { time: momentOf(each.expiresAt) }) : t('invite.ended'))),
    each.token && each.state === 'active' && h('button', { type: 'button', class: 'button small', onclick: () => copy(each) }, t('invite.copy')),
    each.state === 'active' && iconButton('trash', t('invite.revoke'), () => attempt(async () => {
        await routes.revokeInvitation(id, each.invitation_id);
        await again();
    })));
    await listDialog(t('invite.title'), (cursor) => routes.invitations(id, cursor), row, t('invite.none'), { before: make });
}

/** Everybody's role; a choice changes it at once. */
export function openRoles({ workspace_id: id }) {
    const { routes } = app.client;
    const row = ({ user, role }, again) => h('li', { class: 'row' }, personAvatar(user), h('b', { class: 'grow' }, user.nickname),
        role === 'owner' ? t('role.owner') : h('select', {
            class: 'input narrow', 'aria-label': t('role.of', { name: user.nickname }),
            onchange: (event) => attempt(() => routes.setRole(id, user.user_id, event.target.value)).then(() => again()),
        }, roleOptions(ROLES).map(([value, text]) => h('option', { value, selected: value === role }, text))));
    return listDialog(t('role.title'), (cursor) => routes.roles(id, cursor), row, '');
}

/** The portrait as it was when it was reported, or why there is none to see. A click shows it whole. */
function pictureOf({ picture, user }) {
    if (!picture) return null;
    if (!picture.path) return h('small', null, t(`reports.picture.${picture.state}`));
    const image = h('img', { alt: t('reports.portrait', { name: user?.nickname ?? '' }), loading: 'lazy' });
    app.client.links.get(picture.path).then((address) => address && (image.src = address));
    return h('button', { type: 'button', class: 'evidence', onclick: () => open('lightbox', 'openLightbox', [{ path: picture.path }], 0) }, image);
}

/** The reported message and those before it as they were, with their files: moderators read these also after the message is deleted. */
function messagesOf({ type, seq, messages = [] }) {
    if (type === 'message' && !messages.length) return h('p', { class: 'hint' }, t('reports.noMessages'));
    return messages.map((each) => h('blockquote', { class: each.seq === seq ? 'reported' : '' }, h('b', null, each.nickname), ' ', each.content, fileList(each)));
}

/** The reports of members, with the messages around the reported one. */
export function openReports({ workspace_id: id }) {
    const { routes } = app.client;
    const answer = async (report, action, again) => {
        const label = t(`reports.${action}`);
        if (action !== 'dismiss' && !(await ask(label, { label, danger: true }))) return;
        await attempt(() => routes.answerReport(id, report.report_id, action));
        await again();
    };
    const row = (report, again) => h('li', { class: 'row report' }, h('div', { class: 'grow' },
        h('b', null, t('reports.about', { name: report.user?.nickname ?? app.store.workspaces.get(String(id))?.name }), ' · ', t(`report.${report.reason}`)),
        h('small', null, momentOf(report.createdAt)), report.text && h('p', null, report.text), pictureOf(report),
        messagesOf(report),
        h('div', { class: 'actions' }, ['dismiss', report.type === 'message' && 'delete', report.user && 'warn', report.user && 'remove'].filter(Boolean).map((action) =>
            h('button', { type: 'button', class: `button small${action === 'dismiss' ? '' : ' danger'}`, onclick: () => answer(report, action, again) }, t(`reports.${action}`))))));
    return listDialog(t('reports.title'), (cursor) => routes.reports(id, 'open', cursor), row, t('reports.none'));
}

/** The audit log of the workspace, newest first. */
export async function openAudit({ workspace_id: id }) {
    // Entries have the numbers of people.
    const members = await attempt(() => app.client.routes.members(id));
    for (const each of members ?? []) app.store.learn(each);
    const row = (entry) => h('li', { class: 'row' }, icon('clock', 18), h('div', { class: 'grow' },
        h('b', null, actionOf(entry.action)),
        h('small', null, [nameOf(entry.actor), entry.user && `→ ${nameOf(entry.user)}`, entry.subject, entry.address, momentOf(entry.at)].filter(Boolean).join(' · '))));
    return listDialog(t('audit.title'), (cursor) => app.client.routes.audit(id, cursor), row, t('audit.none'));
}

const nameOf = (user) => app.store.users.get(String(user))?.nickname ?? (user ? `#${user}` : '');

/** The action in words; the server's own name for one that this page does not know. */
function actionOf(action) {
    const known = `audit.${action}`;
    const text = t(known);
    return text === known ? action : text;
}
