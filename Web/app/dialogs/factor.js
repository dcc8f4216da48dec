import { h } from '../dom.js';
import { t } from '../i18n.js';
import { field, form, openDialog } from '../parts/dialog.js';
import { attempt, toast } from '../parts/toast.js';
import { app } from '../state.js';

const codeField = () => field(t('auth.appCode'), { name: 'code', required: true, inputmode: 'numeric', autocomplete: 'one-time-code', maxlength: '64' });
const passwordField = () => field(t('settings.passwordNow'), { name: 'password', type: 'password', required: true, autocomplete: 'current-password' });

/** Codes of an authenticator app beside the password. */
export async function openSecondFactor() {
    const state = await attempt(() => app.client.routes.secondFactor());
    if (!state) return;
    if (state.enabled) showEnabled(state);
    else begin();
}

function begin() {
    const dialog = openDialog(t('factor.title'), [h('p', { class: 'hint' }, t('factor.text')), form([passwordField()], {
        label: t('dialog.next'), cancel: () => dialog.close(),
        submit: async ({ password }) => {
            const secret = await app.client.routes.beginSecondFactor(password);
            dialog.close();
            confirm(secret);
        },
    })]);
}

/** The secret for the app, which counts once its first code comes back. */
function confirm({ secret, url }) {
    const dialog = openDialog(t('factor.title'), [
        h('p', null, t('factor.enter')), h('p', null, h('code', { class: 'secret' }, secret.replace(/(.{4})(?=.)/g, '$1 '))),
        h('p', null, h('a', { href: url }, t('factor.open'))),
        form([codeField()], {
            label: t('factor.enable'), cancel: () => dialog.close(),
            submit: async ({ code }) => {
                const { recoveryCodes } = await app.client.routes.enableSecondFactor(code.trim());
                dialog.close();
                showCodes(recoveryCodes);
            },
        }),
    ]);
}

function showCodes(codes) {
    openDialog(t('factor.codes'), [h('p', null, t('factor.codesText')), h('ul', { class: 'codes' }, codes.map((each) => h('li', null, h('code', null, each))))]);
}

function showEnabled({ recoveryCodes }) {
    const dialog = openDialog(t('factor.title'), [
        h('p', null, t('factor.on', { count: recoveryCodes })),
        form([codeField(), passwordField()], {
            label: t('factor.disable'), danger: true, cancel: () => dialog.close(),
            submit: async ({ code, password }) => {
                await app.client.routes.disableSecondFactor(code.trim(), password);
                dialog.close();
                toast(t('factor.off'));
            },
        }),
    ]);
}
