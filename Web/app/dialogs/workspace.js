import { h } from '../dom.js';
import { t } from '../i18n.js';
import { avatar } from '../parts/avatar.js';
import { ask, check, field, form, openDialog } from '../parts/dialog.js';
import { pictureField } from '../parts/picture.js';
import { attempt, toast } from '../parts/toast.js';
import { app } from '../state.js';

const fields = (workspace, picture) => [
    picture.element,
    field(t('workspace.name'), { name: 'name', required: true, maxlength: '30', value: workspace?.name ?? '' }),
    field(t('workspace.description'), { name: 'description', multiline: true, maxlength: '500', value: workspace?.description ?? '' }),
];

export async function createWorkspace() {
    const me = await attempt(() => app.client.routes.me());
    if (!me) return;
    const picture = pictureField(avatar({ id: 0, name: '+' }, 'large'));
    const dialog = openDialog(t('workspace.create'), [h('p', { class: 'hint' }, t('workspace.price', { coins: me.sesacCoin })), form(fields(null, picture), {
        label: t('dialog.create'), cancel: () => dialog.close(),
        submit: async ({ name, description }) => {
            const workspace = await app.client.routes.createWorkspace({ name: name.trim(), description, image: (await picture.file()) ?? (await drawnImage(name)) });
            await app.client.loadWorkspaces();
            dialog.close();
            app.go({ workspace: String(workspace.workspace_id) });
        },
    })]);
}

/** A picture with the first letter of a name: a workspace must have one. */
function drawnImage(name) {
    const canvas = h('canvas', { width: '128', height: '128' });
    const context = canvas.getContext('2d');
    context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(`--tint-${name.length % 8}`);
    context.fillRect(0, 0, 128, 128);
    context.fillStyle = '#fff';
    context.font = '700 64px system-ui';
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.fillText([...name.trim()][0] ?? '', 64, 70);
    return new Promise((resolve) => canvas.toBlob((blob) => resolve(new File([blob], 'image.png', { type: 'image/png' })), 'image/png'));
}

export async function editWorkspace(workspace) {
    const isOwner = String(workspace.owner_id) === app.store.me;
    const settings = isOwner ? await attempt(() => app.client.routes.workspaceSettings(workspace.workspace_id)) : null;
    const picture = pictureField(avatar({ id: workspace.workspace_id, name: workspace.name, path: workspace.coverImage }, 'large'));
    const dialog = openDialog(t('workspace.settings'), form([
        ...fields(workspace, picture),
        settings && check(t('workspace.joinRequests'), { name: 'joinRequests', checked: settings.joinRequests }),
    ], {
        label: t('dialog.save'), cancel: () => dialog.close(),
        submit: async ({ name, description, joinRequests }) => {
            if (settings && settings.joinRequests !== !!joinRequests) await app.client.routes.updateWorkspaceSettings(workspace.workspace_id, { joinRequests: !!joinRequests });
            await app.client.routes.updateWorkspace(workspace.workspace_id, { name: name.trim(), description, image: await picture.file() });
            await app.client.loadWorkspaces();
            dialog.close();
        },
    }));
}

export function inviteMember(workspace) {
    const dialog = openDialog(t('workspace.invite'), form([field(t('workspace.inviteEmail'), { name: 'email', type: 'email', required: true, autocomplete: 'off' })], {
        label: t('workspace.invite'), cancel: () => dialog.close(),
        submit: async ({ email }) => {
            let member;
            try {
                member = await app.client.routes.invite(workspace.workspace_id, email.trim());
            } catch (error) {
                if (error.code === 'E03') error.text = t('workspace.noAccount');
                if (error.code === 'E12') error.text = t('workspace.isMember');
                throw error;
            }
            app.store.learn(member);
            toast(t('workspace.invited', { name: member.nickname }));
            const input = dialog.querySelector('[name="email"]');
            input.value = '';
            input.focus();
        },
    }));
}

async function end(question, label, work) {
    if (!(await ask(question, { label, danger: true }))) return;
    await attempt(async () => {
        await work();
        await app.client.loadWorkspaces();
        app.go({});
    });
}

export const deleteWorkspace = ({ workspace_id, name }) =>
    end(t('workspace.deleteAsk', { name }), t('dialog.delete'), () => app.client.routes.deleteWorkspace(workspace_id));
export const leaveWorkspace = ({ workspace_id, name }) =>
    end(t('workspace.leaveAsk', { name }), t('dialog.leave'), () => app.client.routes.leaveWorkspace(workspace_id));
