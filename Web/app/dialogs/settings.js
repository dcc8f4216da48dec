import { h } from '../dom.js';
import { momentOf } from '../format.js';
import { chooseLanguage, currentLanguage, t } from '../i18n.js';
import { ask, check, field, form, openDialog } from '../parts/dialog.js';
import { attempt, toast } from '../parts/toast.js';
import { app } from '../state.js';

/** A choice of a few, as a row of buttons. */
function segments(label, name, options, chosen, onchoose) {
    return h('fieldset', { class: 'field' }, h('legend', null, label), h('div', { class: 'segments' }, options.map(([value, text]) =>
        h('label', null, h('input', { type: 'radio', name, value, checked: value === chosen, onchange: () => onchoose(value) }), text))));
}

export async function openSettings() {
    const settings = await attempt(() => app.client.routes.settings());
    if (!settings) return;
    const night = settings.doNotDisturb;
    const dialog = openDialog(t('settings.title'), [
        segments(t('settings.theme'), 'theme', ['auto', 'light', 'dark'].map((each) => [each, t(`settings.theme.${each}`)]), app.get('theme') ?? 'auto', (value) => {
            app.set('theme', value);
            app.applyTheme(value);
        }),
        segments(t('settings.language'), 'language', [['ko', '한국어'], ['en', 'English']], currentLanguage(), (value) => {
            app.set('language', value);
            chooseLanguage(value);
            dialog.close();
            app.emit('look');
            openSettings();
        }),
        check(t('settings.browser'), { checked: app.get('notices') === 'on' && Notification.permission === 'granted', onchange: (event) => switchNotices(event.target) }),
        form([
            check(t('settings.receipts'), { name: 'readReceipts', checked: settings.readReceipts }),
            check(t('settings.presence'), { name: 'presence', checked: settings.presence }),
            check(t('settings.typing'), { name: 'typing', checked: settings.typing }),
            check(t('settings.dnd'), { name: 'night', checked: !!night }),
            h('div', { class: 'two' }, field(t('settings.from'), { name: 'from', type: 'time', value: night?.from ?? '22:00' }), field(t('settings.to'), { name: 'to', type: 'time', value: night?.to ?? '08:00' })),
            field(t('settings.keywords'), { name: 'keywords', value: (settings.keywords ?? []).join(', ') }, { hint: t('settings.keywordsHint') }),
        ], {
            label: t('settings.save'), cancel: () => dialog.close(),
            submit: async (values) => {
                await app.client.routes.updateSettings({
                    readReceipts: !!values.readReceipts, presence: !!values.presence, typing: !!values.typing,
                    ...(values.night ? { doNotDisturb: { from: values.from, to: values.to, zone: Intl.DateTimeFormat().resolvedOptions().timeZone } } : {}),
                    keywords: values.keywords.split(',').map((each) => each.trim()).filter(Boolean),
                });
                dialog.close();
                toast(t('profile.saved'));
            },
        }),
        h('div', { class: 'actions' },
            h('button', { type: 'button', class: 'button small', onclick: changePassword }, t('settings.password')),
            h('button', { type: 'button', class: 'button small', onclick: showBlocks }, t('settings.blocks')),
            h('button', { type: 'button', class: 'button small', onclick: deleteAccount }, t('settings.delete'))),
    ], { className: 'wide' });
}

async function switchNotices(box) {
    if (box.checked && Notification.permission !== 'granted') await Notification.requestPermission();
    const isOn = box.checked && Notification.permission === 'granted';
    if (box.checked && !isOn) toast(t('settings.browserDenied'), { bad: true });
    box.checked = isOn;
    app.set('notices', isOn ? 'on' : 'off');
}

function changePassword() {
    const dialog = openDialog(t('settings.password'), form([
        field(t('settings.passwordNow'), { name: 'password', type: 'password', required: true, autocomplete: 'current-password' }),
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

function deleteAccount() {
    const dialog = openDialog(t('settings.delete'), [h('p', null, t('settings.deleteAsk')), form([
        field(t('auth.password'), { name: 'password', type: 'password', required: true, autocomplete: 'current-password' }),
    ], {
        label: t('settings.delete'), danger: true, cancel: () => dialog.close(),
        submit: async ({ password }) => {
            await app.client.routes.deleteAccount(password);
            dialog.close();
            await app.client.session.signOut().catch(() => {});
        },
    })]);
}

async function showBlocks() {
    const reply = await attempt(() => app.client.routes.blocks());
    if (!reply) return;
    const people = reply.items ?? reply;
    const rows = people.map((user) => {
        const row = h('li', { class: 'row' }, h('b', { class: 'grow' }, user.nickname ?? user.user?.nickname), h('button', { type: 'button', class: 'button small', onclick: () => attempt(async () => {
            await app.client.routes.unblock(user.user_id ?? user.user.user_id);
            row.remove();
        }) }, t('settings.unblock')));
        return row;
    });
    openDialog(t('settings.blocks'), h('ul', { class: 'rows' }, rows));
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
        if (await ask(t('devices.endAll'), { danger: true })) await attempt(() => app.client.routes.endSessions());
    } }, t('devices.endAll'))]);
    await show();
}
