import { h, icon } from '../dom.js';
import { t } from '../i18n.js';
import { field, form, openDialog } from '../parts/dialog.js';
import { qrPicture } from '../parts/qr-picture.js';
import { attempt, toast } from '../parts/toast.js';
import { app } from '../state.js';
import { Proof } from './proof.js';

const codeField = () => field(t('auth.appCode'), { name: 'code', required: true, autocomplete: 'one-time-code', maxlength: '64' });

/** Explains the failure of a form with a code of the app. */
async function withCode(work) {
    try {
        return await work();
    } catch (error) {
        if (error.code === 'E11') error.text = t('error.wrongCode');
        throw error;
    }
}

/** The second factor: codes of an authenticator app in addition to the password. */
export async function openSecondFactor() {
    const state = await attempt(() => app.client.routes.secondFactor());
    if (!state) return;
    if (state.enabled) showEnabled(state);
    else begin();
}

/** Opens the dialog of an act again, with the reply of the issuer that the user comes back from. */
export function openAgain(act, signIn) {
    if (act === 'factor.disable') disable(signIn);
    else begin(signIn);
}

function begin(signIn) {
    const proof = new Proof('factor.enable', signIn);
    const dialog = openDialog(t('factor.title'), [h('p', { class: 'hint' }, t('factor.text')), form([proof.element], {
        label: t('dialog.next'), cancel: () => dialog.close(), told: proof.fault,
        submit: async (values) => {
            const secret = await proof.use(values, (each) => app.client.routes.beginSecondFactor(each));
            dialog.close();
            confirm(secret);
        },
    })]);
}

/** The secret for the app. It is in force once the user has entered its first code. */
function confirm({ secret, url }) {
    const dialog = openDialog(t('factor.title'), [
        h('p', null, t('factor.scan')), qrPicture(url, t('factor.qr')),
        h('details', null, h('summary', null, t('factor.cannotScan')),
            h('p', { class: 'hint' }, t('factor.enter')), h('p', null, h('code', { class: 'secret' }, secret.replace(/(.{4})(?=.)/g, '$1 '))),
            h('p', null, h('a', { href: url }, t('factor.open')))),
        form([codeField()], {
            label: t('factor.enable'), cancel: () => dialog.close(),
            submit: ({ code }) => withCode(async () => {
                const { recoveryCodes } = await app.client.routes.enableSecondFactor(code.trim());
                dialog.close();
                showCodes(recoveryCodes, t('factor.enabled'));
            }),
        }),
    ]);
    dialog.querySelector('[name="code"]').focus();
}

function showCodes(codes, text) {
    const file = URL.createObjectURL(new Blob([`Maru · ${app.client.session.user.email}\n\n${codes.join('\n')}\n`], { type: 'text/plain' }));
    const copy = () => attempt(async () => {
        await navigator.clipboard.writeText(codes.join('\n'));
        toast(t('message.copied'));
    });
    const dialog = openDialog(t('factor.codes'), [
        h('p', null, text, ' ', t('factor.codesText')), h('ul', { class: 'codes' }, codes.map((each) => h('li', null, h('code', null, each)))),
        h('div', { class: 'dialog-foot' },
            h('button', { type: 'button', class: 'button', onclick: copy }, t('factor.copy')),
            h('a', { class: 'button', href: file, download: 'maru-recovery-codes.txt' }, icon('download', 17), t('factor.download')),
            h('button', { type: 'button', class: 'button primary', onclick: () => dialog.close() }, t('factor.kept'))),
    ], { onclose: () => URL.revokeObjectURL(file) });
}

function showEnabled({ recoveryCodes }) {
    const dialog = openDialog(t('factor.title'), [
        h('p', { role: 'status' }, t('factor.on', { count: recoveryCodes })),
        recoveryCodes < 3 && h('p', { class: 'fault' }, t('factor.fewCodes')),
        h('div', { class: 'actions' },
            h('button', { type: 'button', class: 'button', onclick: () => (dialog.close(), renew()) }, icon('retry', 17), t('factor.renew')),
            h('button', { type: 'button', class: 'button danger', onclick: () => (dialog.close(), disable()) }, t('factor.disable'))),
    ]);
}

function renew() {
    const dialog = openDialog(t('factor.renew'), [h('p', { class: 'hint' }, t('factor.renewText')), form([codeField()], {
        label: t('factor.renew'), cancel: () => dialog.close(),
        submit: ({ code }) => withCode(async () => {
            const { recoveryCodes } = await app.client.routes.renewRecoveryCodes(code.trim());
            dialog.close();
            showCodes(recoveryCodes, t('factor.renewed'));
        }),
    })]);
}

function disable(signIn) {
    const proof = new Proof('factor.disable', signIn);
    const dialog = openDialog(t('factor.disable'), [h('p', { class: 'hint' }, t('factor.disableText')), form([codeField(), proof.element], {
        label: t('factor.disable'), danger: true, cancel: () => dialog.close(), told: proof.fault,
        submit: ({ code, ...values }) => withCode(async () => {
            await proof.use(values, (each) => app.client.routes.disableSecondFactor(code.trim(), each));
            dialog.close();
            toast(t('factor.off'));
        }),
    })]);
}
