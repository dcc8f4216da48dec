import { h } from '../dom.js';
import { chooseLanguage, currentLanguage, t } from '../i18n.js';
import { check, field, form, openDialog } from '../parts/dialog.js';
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
    const times = h('div', { class: 'two', hidden: !night }, field(t('settings.from'), { name: 'from', type: 'time', value: night?.from ?? '22:00' }), field(t('settings.to'), { name: 'to', type: 'time', value: night?.to ?? '08:00' }));
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
        h('h3', null, t('settings.notices')),
        check(t('settings.browser'), { checked: app.get('notices') === 'on' && globalThis.Notification?.permission === 'granted', onchange: (event) => switchNotices(event.target) }),
        form([
            check(t('settings.dnd'), { name: 'night', checked: !!night, onchange: (event) => (times.hidden = !event.target.checked) }),
            times,
            field(t('settings.keywords'), { name: 'keywords', value: (settings.keywords ?? []).join(', ') }, { hint: t('settings.keywordsHint') }),
            h('h3', null, t('settings.privacy')),
            check(t('settings.receipts'), { name: 'readReceipts', checked: settings.readReceipts }),
            check(t('settings.presence'), { name: 'presence', checked: settings.presence }),
            check(t('settings.typing'), { name: 'typing', checked: settings.typing }),
        ], {
            label: t('settings.save'), cancel: () => dialog.close(),
            submit: async (values) => {
                app.store.changeSettings(await app.client.routes.updateSettings({
                    readReceipts: !!values.readReceipts, presence: !!values.presence, typing: !!values.typing,
                    ...(values.night ? { doNotDisturb: { from: values.from, to: values.to, zone: Intl.DateTimeFormat().resolvedOptions().timeZone } } : {}),
                    keywords: values.keywords.split(',').map((each) => each.trim()).filter(Boolean),
                }));
                app.tabs.postMessage('settings');
                dialog.close();
                toast(t('profile.saved'));
            },
        }),
    ], { className: 'wide' });
}

async function switchNotices(box) {
    // Not every browser has notifications.
    const { Notification } = globalThis;
    if (box.checked && Notification && Notification.permission !== 'granted') await Notification.requestPermission();
    const isOn = box.checked && Notification?.permission === 'granted';
    if (box.checked && !isOn) toast(t('settings.browserDenied'), { bad: true });
    box.checked = isOn;
    app.set('notices', isOn ? 'on' : 'off');
}
