import { t } from '../i18n.js';
import { ask } from '../parts/dialog.js';
import { openMenu } from '../parts/menu.js';
import { open } from '../parts/open.js';
import { attempt, toast } from '../parts/toast.js';
import { app } from '../state.js';

const isBlockedHere = ({ user_id }) => app.store.blocked.has(String(user_id));

/** The actions that the user has for a person of a workspace. */
export function personActions(workspace, user, isBlocked = isBlockedHere(user)) {
    const id = String(user.user_id);
    return [
        { label: t('dm.write'), icon: 'send', action: () => attempt(async () => app.go({ workspace, room: (await app.client.openDm(workspace, id)).key })) },
        'line',
        { label: t('message.report'), icon: 'warn', action: () => open('report', 'reportUser', workspace, user) },
        isBlocked
            ? { label: t('settings.unblock'), icon: 'ban', action: () => attempt(() => app.client.unblock(id)) }
            : { label: t('block'), icon: 'ban', danger: true, action: () => block(user) },
    ];
}

/** The menu of a person, beside the name in a message. A message of a blocked person is hidden. */
export function openPerson(anchor, workspace, user, isHidden) {
    const held = app.store.users.get(String(user.user_id)) ?? user;
    const isMe = String(user.user_id) === app.store.me;
    const items = isMe
        ? [{ label: t('profile.title'), icon: 'edit', action: () => open('profile', 'openProfile') }]
        : personActions(workspace, held, isHidden);
    openMenu(anchor, [{ note: [held.nickname, held.email].filter(Boolean).join(' · ') }, ...items]);
}

async function block({ user_id, nickname }) {
    if (!(await ask(t('block.ask', { name: nickname }), { label: t('block'), danger: true }))) return;
    await attempt(async () => {
        await app.client.block(user_id);
        toast(t('block.done', { name: nickname }));
    });
}
