import { Emitter } from '../../maru/emitter.js';
import { isThreadOnly } from '../../maru/rooms.js';
import { t } from '../i18n.js';
import { ask } from '../parts/dialog.js';
import { openMenu } from '../parts/menu.js';
import { open } from '../parts/open.js';
import { attempt, toast } from '../parts/toast.js';
import { app } from '../state.js';

/** The saved messages that this page knows of, as `room/seq`. Emits `changed`, and `toggled` after a change by the user. */
export const savedMessages = Object.assign(new Emitter(), {
    seqs: new Set(),
    learn(keys) {
        for (const key of keys) this.seqs.add(key);
        this.emit('changed');
    },
});

export function toggleSaved(room, message) {
    return attempt(async () => {
        const key = `${room}/${message.seq}`;
        const on = !savedMessages.seqs.has(key);
        await app.client.save(room, message.seq, on);
        if (on) savedMessages.seqs.add(key);
        else savedMessages.seqs.delete(key);
        savedMessages.emit('changed');
        savedMessages.emit('toggled');
        toast(t(on ? 'message.saved' : 'message.unsaved'));
    });
}

/** Starts to edit a message in the composer of its room or thread. */
export const editing = new Emitter();

/** The menu of a message. */
export function openActions(anchor, room, message, thread) {
    const held = app.store.rooms.get(room);
    const isOwn = String(message.user.user_id) === app.store.me;
    const workspace = app.store.workspaces.get(held.workspace);
    const isOwner = String(workspace?.owner_id) === app.store.me;
    const copy = (text) => attempt(async () => {
        await navigator.clipboard.writeText(text);
        toast(t('message.copied'));
    });
    const dialog = (file, name) => () => open(file, name, room, message);
    openMenu(anchor, [
        isOwn && { label: t('message.edit'), icon: 'edit', action: () => editing.emit(thread === undefined ? room : `${room}/${thread}`, message) },
        { label: t(message.pinnedAt ? 'message.unpin' : 'message.pin'), icon: 'pin', action: () => attempt(() => app.client.pin(room, message.seq, !message.pinnedAt)) },
        message.content && !app.store.isHidden(message) && { label: t('message.copy'), icon: 'file', action: () => copy(message.content) },
        { label: t('message.link'), icon: 'clip', action: () => copy(`${location.origin}/#/${held.workspace}/${room}/${isThreadOnly(message) ? message.thread.root : message.seq}`) },
        message.editedAt && (isOwn || isOwner) && { label: t('message.versions'), icon: 'clock', action: dialog('message', 'showVersions') },
        'line',
        !isOwn && { label: t('message.report'), icon: 'warn', action: dialog('report', 'reportMessage') },
        (isOwn || isOwner || String(held.ownerId) === app.store.me) && { label: t('message.delete'), icon: 'trash', danger: true, action: () => remove(room, message) },
    ]);
}

export async function remove(room, message) {
    if (await ask(t('message.deleteAsk'), { label: t('dialog.delete'), danger: true })) await attempt(() => app.client.remove(room, message.seq));
}
