import { h, icon } from '../dom.js';
import { t } from '../i18n.js';
import { ask, field, form, openDialog } from '../parts/dialog.js';
import { attempt } from '../parts/toast.js';
import { app } from '../state.js';

const fields = (channel) => [
    field(t('channel.name'), { name: 'name', required: true, maxlength: '30', value: channel?.name ?? '', pattern: '[^\\/]+', title: t('invalid.channel') }),
    field(t('channel.description'), { name: 'description', multiline: true, maxlength: '500', value: channel?.description ?? '' }),
];

export function createChannel(workspace) {
    const dialog = openDialog(t('channel.create'), form(fields(), {
        label: t('dialog.create'), cancel: () => dialog.close(),
        submit: async ({ name, description }) => {
            const channel = await app.client.routes.createChannel(workspace, { name: name.trim(), description });
            await app.client.loadRooms(workspace);
            dialog.close();
            app.go({ workspace, room: `channel-${channel.channel_id}` });
        },
    }));
}

export function editChannel(room, detail) {
    const dialog = openDialog(t('channel.edit'), form(fields(detail), {
        label: t('dialog.save'), cancel: () => dialog.close(),
        submit: async ({ name, description }) => {
            await app.client.routes.updateChannel(room, { name: name.trim(), description });
            await app.client.loadRooms(room.workspace);
            dialog.close();
            app.show(null);
        },
    }));
}

/** All channels of the workspace, each with a button to join it. */
export async function exploreChannels(workspace) {
    const channels = await attempt(() => app.client.routes.channels(workspace));
    if (!channels) return;
    const go = async (channel) => {
        const key = `channel-${channel.channel_id}`;
        if (!app.store.rooms.has(key)) await app.client.joinChannel(workspace, channel);
        dialog.close();
        app.go({ workspace, room: key });
    };
    const rows = channels.map((channel) => {
        const isIn = app.store.rooms.has(`channel-${channel.channel_id}`);
        return h('li', { class: 'row' }, icon('hash', 18), h('div', { class: 'grow' }, h('b', null, channel.name), h('small', null, [isIn && t('channel.inIt'), channel.description].filter(Boolean).join(' · '))),
            h('button', { type: 'button', class: `button small${isIn ? '' : ' primary'}`, 'aria-label': `${t(isIn ? 'nav.switcher' : 'channel.join')} ${channel.name}`, onclick: () => attempt(() => go(channel)) }, isIn ? icon('send', 16) : t('channel.join')));
    });
    const nothing = h('p', { class: 'hint', role: 'status' });
    const filter = h('input', { class: 'input', type: 'search', placeholder: t('search.label'), 'aria-label': t('search.label'), oninput: () => {
        for (const [place, row] of rows.entries()) row.hidden = !channels[place].name.toLowerCase().includes(filter.value.trim().toLowerCase());
        nothing.textContent = rows.every((each) => each.hidden) ? t('switcher.none') : '';
    } });
    const dialog = openDialog(t('channel.explore'), [filter, h('ul', { class: 'rows' }, rows), nothing], { className: 'wide' });
}

async function end(room, question, label, work) {
    if (!(await ask(question, { label, danger: true }))) return;
    await attempt(async () => {
        await work();
        app.store.removeRoom(room.key);
        app.go({ workspace: room.workspace });
        await app.client.loadRooms(room.workspace);
    });
}

export const leaveChannel = (room) =>
    end(room, t('channel.leaveAsk', { name: room.name }), t('dialog.leave'), () => app.client.routes.leaveChannel(room));
export const deleteChannel = (room) =>
    end(room, t('channel.deleteAsk', { name: room.name }), t('dialog.delete'), () => app.client.routes.deleteChannel(room));
