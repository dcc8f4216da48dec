import { h, icon } from '../dom.js';
import { momentOf } from '../format.js';
import { t } from '../i18n.js';
import { personAvatar } from '../parts/avatar.js';
import { ask, check, field, form, openDialog } from '../parts/dialog.js';
import { open } from '../parts/open.js';
import { attempt, toast } from '../parts/toast.js';
import { app } from '../state.js';
import { passwordField, Proof } from './proof.js';

/** The account: its ways to sign in, its open sessions, and its data. */
export async function openAccount() {
    const me = await attempt(() => app.client.routes.me());
    if (!me) return;
    const row = (name, text, label, work, danger = false) => h('li', { class: 'row' },
        h('div', { class: 'grow' }, h('b', null, t(`account.${name}`)), text && h('small', null, text)),
        h('button', { type: 'button', class: `button small${danger ? ' danger' : ''}`, 'aria-label': `${t(label)}: ${t(`account.${name}`)}`, onclick: () => (dialog.close(), work(me)) }, t(label)));
    const dialog = openDialog(t('account.title'), h('ul', { class: 'rows' },
        row('email', me.email, 'account.change', changeEmail),
        row('password', '', 'account.change', changePassword),
        row('factor', t('account.factorText'), 'account.show', () => open('factor', 'openSecondFactor')),
        row('devices', t('account.devicesText'), 'account.show', openDevices),
        row('blocks', t('account.blocksText'), 'account.show', showBlocks),
        row('export', t('account.exportText'), 'account.show', () => open('export', 'openExport')),
        row('delete', t('account.deleteText'), 'dialog.delete', () => deleteAccount(), true)), { className: 'wide' });
}

function changeEmail() {
    const address = h('input', { class: 'input', name: 'email', type: 'email', required: true, autocomplete: 'email' });
    const rest = h('div', { class: 'more', hidden: true });
    const dialog = openDialog(t('account.changeEmail'), form([
        h('label', { class: 'field' }, h('span', null, t('account.newEmail')), address), rest,
    ], {
        label: t('dialog.next'), cancel: () => dialog.close(),
        submit: async ({ email, password, code }, button) => {
            if (rest.hidden) {
                await app.client.routes.askForEmailCode(email.trim());
                address.readOnly = true;
                rest.append(h('p', { class: 'hint', role: 'status' }, t('account.codeSent', { email: email.trim() })),
                    field(t('auth.code'), { name: 'code', required: true, inputmode: 'numeric', autocomplete: 'one-time-code', maxlength: '6' }), passwordField());
                rest.hidden = false;
                button.textContent = t('dialog.save');
                return rest.querySelector('input').focus();
            }
            await app.client.routes.updateEmail(password, email.trim(), code.trim());
            dialog.close();
            toast(t('profile.saved'));
        },
    }));
}

function changePassword() {
    const dialog = openDialog(t('settings.password'), form([
        passwordField(),
        field(t('auth.newPassword'), { name: 'newPassword', type: 'password', required: true, autocomplete: 'new-password' }, { hint: t('auth.passwordHint') }),
    ], {
        label: t('dialog.save'), cancel: () => dialog.close(),
        submit: async ({ password, newPassword }) => {
            await app.client.routes.updatePassword(password, newPassword);
            dialog.close();
            toast(t('profile.saved'));
        },
    }));
}

export async function openDevices() {
    const list = h('ul', { class: 'rows' });
    const show = async () => {
        const sessions = await attempt(() => app.client.routes.sessions());
        list.replaceChildren(...(sessions ?? []).map((session) => h('li', { class: 'row' },
            h('div', { class: 'grow' }, h('b', null, session.current ? t('devices.current') : session.app), h('small', null, t('devices.since', { time: momentOf(session.createdAt) }))),
            !session.current && h('button', { type: 'button', class: 'button small', onclick: () => attempt(async () => {
                await app.client.routes.endSession(session.session_id);
                await show();
            }) }, t('devices.end')))));
    };
    openDialog(t('devices.title'), [list, h('button', { type: 'button', class: 'button', onclick: async () => {
        if (await ask(t('devices.endAll'), { label: t('devices.end'), danger: true })) await attempt(() => app.client.routes.endSessions());
    } }, t('devices.endAll'))]);
    await show();
}

async function showBlocks() {
    const reply = await attempt(() => app.client.routes.blocks());
    if (!reply) return;
    const list = h('ul', { class: 'rows' });
    const nothing = h('p', { class: 'hint', hidden: reply.items.length > 0 }, t('account.noBlocks'));
    list.append(...reply.items.map(({ user }) => {
        const row = h('li', { class: 'row' }, personAvatar(user), h('b', { class: 'grow' }, user.nickname), h('button', { type: 'button', class: 'button small', 'aria-label': `${t('settings.unblock')} ${user.nickname}`, onclick: () => attempt(async () => {
            await app.client.unblock(user.user_id);
            row.remove();
            nothing.hidden = list.childElementCount > 0;
        }) }, t('settings.unblock')));
        return row;
    }));
    openDialog(t('settings.blocks'), [list, nothing]);
}

/** @param {object} [signIn] the reply of an issuer, if the user comes back from there */
export function deleteAccount(signIn) {
    const choice = check(t('account.deleteMessages'), { name: 'messages', value: 'delete', checked: !!signIn?.deletesMessages });
    const proof = new Proof('delete', signIn, () => ({ deletesMessages: choice.querySelector('input').checked }));
    const dialog = openDialog(t('settings.delete'), [h('p', null, t('settings.deleteAsk')), form([choice, proof.element], {
        label: t('settings.delete'), danger: true, cancel: () => dialog.close(), told: proof.fault,
        submit: async ({ messages = 'keep', ...values }) => {
            try {
                await proof.use(values, (each) => app.client.routes.deleteAccount(each, messages));
            } catch (error) {
                if (error.code !== 'E15') throw error;
                const names = (error.body?.workspaces ?? []).map((each) => app.store.workspaces.get(String(each))?.name).filter(Boolean);
                throw Object.assign(new Error(), { code: 'E15', text: t('account.handOver', { names: names.join(', ') }) });
            }
            dialog.close();
            await app.client.session.signOut().catch(() => {});
        },
    })]);
}
