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

/** Schedules the text and the files of the composer. */
export function scheduleMessage(room, { content, files }, done) {
    const soon = new Date(Date.now() + 3_600_000);
    soon.setMinutes(soon.getMinutes() - soon.getTimezoneOffset(), 0, 0);
    const dialog = openDialog(t('schedule.title'), form([
        field(t('compose.label', { name: app.store.rooms.get(room).name }), { name: 'content', multiline: true, required: !files.length, value: content }),
        field(t('schedule.at'), { name: 'at', type: 'datetime-local', required: true, value: soon.toISOString().slice(0, 16) }),
    ], {
        label: t('schedule.send'), cancel: () => dialog.close(),
        submit: async (values) => {
            const at = new Date(values.at).toISOString();
            await app.client.routes.schedule(app.store.rooms.get(room), { content: values.content, at, files });
            done();
            app.emit('scheduled');
            dialog.close();
            toast(t('schedule.done', { time: momentOf(at) }));
        },
    }));
}
