import { h } from '../dom.js';
import { momentOf } from '../format.js';
import { t } from '../i18n.js';
import { form, openDialog } from '../parts/dialog.js';
import { attempt } from '../parts/toast.js';
import { app } from '../state.js';

/** Shows where an invitation leads, and goes there if the user wants to. */
export async function openInvitation(token) {
    const found = await attempt(() => app.client.routes.previewInvitation(token));
    if (!found) return;
    const { workspace, role, invitedBy, expiresAt } = found;
    const dialog = openDialog(t('join.title', { name: workspace.name }), [
        h('p', null, invitedBy ? t('join.by', { name: invitedBy, role: t(`role.${role}`) }) : t('join.as', { role: t(`role.${role}`) })),
        workspace.description && h('p', { class: 'hint' }, workspace.description),
        h('p', { class: 'hint' }, t('invite.until', { time: momentOf(expiresAt) })),
        form([], {
            label: t('join.accept'), cancel: () => dialog.close(),
            submit: async () => {
                await app.client.routes.acceptInvitation(token);
                await app.client.loadWorkspaces();
                dialog.close();
                app.go({ workspace: String(workspace.workspace_id) });
            },
        }),
    ]);
}
