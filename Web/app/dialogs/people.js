import { h } from '../dom.js';
import { t } from '../i18n.js';
import { personAvatar } from '../parts/avatar.js';
import { initials } from '../parts/completion.js';
import { openDialog } from '../parts/dialog.js';
import { attempt } from '../parts/toast.js';
import { app } from '../state.js';

/** Chooses a person of the workspace to write to. */
export async function chooseDm(workspace) {
    const members = await attempt(() => app.client.routes.members(workspace));
    if (!members) return;
    const others = members.filter((each) => String(each.user_id) !== app.store.me);
    const rows = others.map((member) => h('li', { class: 'row' }, personAvatar(member), h('div', { class: 'grow' }, h('b', null, member.nickname), h('small', null, member.email)),
        h('button', { type: 'button', class: 'button small', 'aria-label': `${t('dm.write')} ${member.nickname}`, onclick: () => attempt(async () => {
            const room = await app.client.openDm(workspace, String(member.user_id));
            dialog.close();
            app.go({ workspace, room: room.key });
        }) }, t('dm.write'))));
    const nothing = h('p', { class: 'hint', role: 'status' });
    const tell = () => (nothing.textContent = rows.every((each) => each.hidden) ? t(rows.length ? 'switcher.none' : 'dm.alone') : '');
    const filter = h('input', { class: 'input', type: 'search', placeholder: t('dm.filter'), 'aria-label': t('dm.filter'), oninput: () => {
        const typed = filter.value.trim().toLowerCase();
        for (const [place, row] of rows.entries()) {
            const { nickname, email } = others[place];
            row.hidden = ![nickname.toLowerCase(), email, initials(nickname)].some((each) => each.includes(typed));
        }
        tell();
    } });
    const dialog = openDialog(t('dm.title'), [filter, h('ul', { class: 'rows' }, rows), nothing]);
    tell();
}
