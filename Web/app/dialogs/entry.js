import { h } from '../dom.js';
import { momentOf } from '../format.js';
import { t } from '../i18n.js';
import { personAvatar } from '../parts/avatar.js';
import { ask, field, form, openDialog } from '../parts/dialog.js';
import { listDialog } from '../parts/list-dialog.js';
import { attempt, toast } from '../parts/toast.js';
import { app } from '../state.js';

const person = (user, note, ...more) => h('li', { class: 'row' }, personAvatar(user), h('div', { class: 'grow' }, h('b', null, user.nickname), note), more);
const small = (text) => h('small', null, text);

/** The users that are banned from a workspace. */
export function openBans({ workspace_id: id }) {
    const { routes } = app.client;
    const nameOf = (user) => app.store.users.get(String(user))?.nickname;
    const row = ({ user, bannedBy, bannedAt }, again) => person(user, small([momentOf(bannedAt), nameOf(bannedBy)].filter(Boolean).join(' · ')),
        h('button', { type: 'button', class: 'button small', 'aria-label': `${t('bans.lift')} ${user.nickname}`, onclick: async () => {
            if (!(await ask(t('bans.liftAsk', { name: user.nickname })))) return;
            await attempt(() => routes.liftBan(id, user.user_id));
            await again();
        } }, t('bans.lift')));
    return listDialog(t('bans.title'), (cursor) => routes.bans(id, cursor), row, t('bans.none'));
}

/** The requests to join, and the link by which people ask. */
export function openJoinRequests({ workspace_id: id }) {
    const { routes } = app.client;
    const link = `${location.origin}/#/${id}`;
    const copy = () => attempt(async () => {
        await navigator.clipboard.writeText(link);
        toast(t('message.copied'));
    });
    const answer = async (user, action, again) => {
        await attempt(() => routes.answerJoinRequest(id, user.user_id, action));
        await again();
    };
    const row = ({ user, text, createdAt }, again) => person(user, [text && h('p', null, text), small(momentOf(createdAt))],
        h('button', { type: 'button', class: 'button small', 'aria-label': `${t('requests.decline')} ${user.nickname}`, onclick: () => answer(user, 'decline', again) }, t('requests.decline')),
        h('button', { type: 'button', class: 'button small primary', 'aria-label': `${t('requests.approve')} ${user.nickname}`, onclick: () => answer(user, 'approve', again) }, t('requests.approve')));
    const head = () => h('div', { class: 'row' }, h('p', { class: 'hint grow' }, t('requests.how', { link })), h('button', { type: 'button', class: 'button small', onclick: copy }, t('invite.copy')));
    return listDialog(t('requests.title'), (cursor) => routes.joinRequests(id, cursor), row, t('requests.none'), { before: head });
}

/** Asks to be let into a workspace that the user is not in. */
export function askToJoin(workspace) {
    const dialog = openDialog(t('requests.ask'), form([field(t('requests.text'), { name: 'text', multiline: true, maxlength: '300' })], {
        label: t('requests.send'), cancel: () => dialog.close(),
        submit: async ({ text }) => {
            try {
                await app.client.routes.askToJoin(workspace, text.trim() || undefined);
            } catch (error) {
                if (error.code === 'E13') error.text = t('requests.closed');
                throw error;
            }
            dialog.close();
            toast(t('requests.sent'));
        },
    }));
}
