import { h } from '../dom.js';
import { t } from '../i18n.js';
import { personAvatar } from '../parts/avatar.js';
import { field, form, openDialog } from '../parts/dialog.js';
import { pictureField } from '../parts/picture.js';
import { attempt, toast } from '../parts/toast.js';
import { app } from '../state.js';

export async function openProfile() {
    const me = await attempt(() => app.client.routes.me());
    if (!me) return;
    const picture = pictureField(personAvatar(me, 'large'));
    const dialog = openDialog(t('profile.title'), form([
        picture.element,
        h('p', { class: 'hint' }, `${me.email} · ${t('profile.coins', { coins: me.sesacCoin })}`),
        field(t('profile.nickname'), { name: 'nickname', required: true, maxlength: '30', value: me.nickname, autocomplete: 'nickname' }),
        field(t('profile.phone'), { name: 'phone', type: 'tel', value: me.phone ?? '', autocomplete: 'tel', pattern: '[0-9\\-]*', title: t('invalid.phone') }),
    ], {
        label: t('profile.save'), cancel: () => dialog.close(),
        submit: async ({ nickname, phone }) => {
            const image = await picture.file();
            let changed = await app.client.routes.updateMe({ nickname: nickname.trim(), phone });
            if (image) changed = await app.client.routes.updateMyImage(image);
            app.store.learn({ user_id: String(changed.user_id), email: changed.email, nickname: changed.nickname, profileImage: changed.profileImage });
            dialog.close();
            toast(t('profile.saved'));
        },
    }));
}
