import { h } from '../dom.js';
import { t } from '../i18n.js';
import { field, form, openDialog } from '../parts/dialog.js';
import { toast } from '../parts/toast.js';
import { app } from '../state.js';

const REASONS = ['spam', 'harassment', 'hate', 'violence', 'sexual', 'selfHarm', 'illegal', 'impersonation', 'other'];

/** Asks for the reason, and reports to the owner of the workspace. `what` names the message, the person or the workspace. */
function report(title, what) {
    const dialog = openDialog(title, form([
        h('label', { class: 'field' }, h('span', null, t('report.reason')), h('select', { class: 'input', name: 'reason' }, REASONS.map((each) => h('option', { value: each }, t(`report.${each}`))))),
        field(t('report.text'), { name: 'text', multiline: true, maxlength: '1000' }),
    ], {
        label: t('report.send'), cancel: () => dialog.close(),
        submit: async ({ reason, text }) => {
            await app.client.routes.report({ ...what, reason, text: text.trim() || undefined });
            dialog.close();
            toast(t('report.done'));
        },
    }));
}

export const reportMessage = (room, message) =>
    report(t('report.title'), { type: 'message', workspace_id: app.store.rooms.get(room).workspace, room, seq: message.seq });
export const reportUser = (workspace, user) =>
    report(t('report.user', { name: user.nickname }), { type: 'user', workspace_id: String(workspace), user_id: String(user.user_id) });
export const reportWorkspace = ({ workspace_id, name }) =>
    report(t('report.workspace', { name }), { type: 'workspace', workspace_id: String(workspace_id) });
