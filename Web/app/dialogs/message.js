import { h } from '../dom.js';
import { momentOf } from '../format.js';
import { t } from '../i18n.js';
import { renderMarkup } from '../markup.js';
import { field, form, openDialog } from '../parts/dialog.js';
import { attempt, toast } from '../parts/toast.js';
import { app } from '../state.js';

export async function showVersions(room, message) {
    const reply = await attempt(() => app.client.routes.versions(app.store.rooms.get(room), message.seq));
    if (!reply) return;
    openDialog(t('versions.title'), h('ul', { class: 'rows' }, reply.items.map((each) =>
        h('li', { class: 'row' }, h('div', { class: 'grow' }, h('small', null, momentOf(each.createdAt)), h('div', { class: 'text' }, renderMarkup(each.content)))))));
}

export function reportMessage(room, message) {
    const { workspace } = app.store.rooms.get(room);
    const dialog = openDialog(t('report.title'), form([
        h('label', { class: 'field' }, h('span', null, t('report.reason')), h('select', { class: 'input', name: 'reason' }, ['spam', 'abuse', 'other'].map((each) => h('option', { value: each }, t(`report.${each}`))))),
        field(t('report.text'), { name: 'text', multiline: true, maxlength: '1000' }),
    ], {
        label: t('report.send'), cancel: () => dialog.close(),
        submit: async ({ reason, text }) => {
            await app.client.routes.report({ type: 'message', workspace_id: workspace, room, seq: message.seq, reason, text });
            dialog.close();
            toast(t('report.done'));
        },
    }));
}

/** Schedules the text of the composer. */
export function scheduleMessage(room, content, done) {
    const soon = new Date(Date.now() + 3_600_000);
    soon.setMinutes(soon.getMinutes() - soon.getTimezoneOffset(), 0, 0);
    const dialog = openDialog(t('schedule.title'), form([
        field(t('compose.label', { name: app.store.rooms.get(room).name }), { name: 'content', multiline: true, required: true, value: content }),
        field(t('schedule.at'), { name: 'at', type: 'datetime-local', required: true, value: soon.toISOString().slice(0, 16) }),
    ], {
        label: t('schedule.send'), cancel: () => dialog.close(),
        submit: async (values) => {
            const at = new Date(values.at).toISOString();
            await app.client.routes.schedule(app.store.rooms.get(room), { content: values.content, at });
            done();
            dialog.close();
            toast(t('schedule.done', { time: momentOf(at) }));
        },
    }));
}
