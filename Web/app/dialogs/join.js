import { h } from '../dom.js';
import { momentOf } from '../format.js';
import { t } from '../i18n.js';
import { form, openDialog } from '../parts/dialog.js';
import { attempt } from '../parts/toast.js';
import { app } from '../state.js';

/** Says that an invitation has ended, until the user has read it: a newcomer sees nothing else of the workspace. */
function showEnded() {
    const dialog = openDialog(t('join.ended'), [h('p', null, t('join.askAgain')),
        h('div', { class: 'dialog-foot' }, h('button', { type: 'button', class: 'button primary', onclick: () => dialog.close() }, t('dialog.ok')))]);
}

/** Shows the workspace of an invitation, and joins it if the user agrees. */
export async function openInvitation(token) {
    const found = await attempt(() => app.client.routes.previewInvitation(token).catch((error) => {
        if (error.code !== 'E13') throw error;
        showEnded();
    }));
    if (!found) return;
    const { workspace, role, invitedBy, expiresAt } = found;
    const dialog = openDialog(t('join.title', { name: workspace.name }), [
        h('p', null, invitedBy ? t('join.by', { name: invitedBy, role: t(`role.${role}`) }) : t('join.as', { role: t(`role.${role}`) })),
        workspace.description && h('p', { class: 'hint' }, workspace.description),
        h('p', { class: 'hint' }, t('invite.until', { time: momentOf(expiresAt) })),
        form([], {
            label: t('join.accept'), cancel: () => dialog.close(),
            submit: async () => {
                try {
                    await app.client.routes.acceptInvitation(token);
                } catch (error) {
                    if (error.code === 'E13') error.text = `${t('join.ended')} ${t('join.askAgain')}`;
                    throw error;
                }
                await app.client.loadWorkspaces();
                dialog.close();
                app.go({ workspace: String(workspace.workspace_id) });
            },
        }),
    ]);
}
