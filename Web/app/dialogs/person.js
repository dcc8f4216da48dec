import { t } from '../i18n.js';
import { ask } from '../parts/dialog.js';
import { openMenu } from '../parts/menu.js';
import { attempt } from '../parts/toast.js';
import { app } from '../state.js';

/** What one can do with a person of a workspace. */
export function personActions(workspace, user) {
    const id = String(user.user_id);
    return [
        { label: t('dm.write'), icon: 'send', action: () => attempt(async () => app.go({ workspace, room: (await app.client.openDm(workspace, id)).key })) },
        'line',
        { label: t('message.report'), icon: 'warn', action: async () => (await import('./report.js')).reportUser(workspace, user) },
        { label: t('block'), icon: 'ban', danger: true, action: () => block(user) },
    ];
}

/** The menu of a person, beside the name in a message. */
export function openPerson(anchor, workspace, user) {
    const held = app.store.users.get(String(user.user_id)) ?? user;
    const isMe = String(user.user_id) === app.store.me;
    const items = isMe
        ? [{ label: t('profile.title'), icon: 'edit', action: async () => (await import('./profile.js')).openProfile() }]
        : personActions(workspace, held);
    openMenu(anchor, [{ note: [held.nickname, held.email].filter(Boolean).join(' · ') }, ...items]);
}

async function block({ user_id, nickname }) {
    if (!(await ask(t('block.ask', { name: nickname }), { label: t('block'), danger: true }))) return;
    await attempt(() => app.client.block(user_id));
}
