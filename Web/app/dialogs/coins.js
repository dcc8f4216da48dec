import { h, icon } from '../dom.js';
import { t } from '../i18n.js';
import { openDialog } from '../parts/dialog.js';
import { attempt } from '../parts/toast.js';
import { app } from '../state.js';

/** The coins of the account and their prices. */
export async function openCoins() {
    const found = await attempt(() => Promise.all([app.client.routes.me(), app.client.routes.items()]));
    if (!found) return;
    const [me, items] = found;
    const number = new Intl.NumberFormat();
    openDialog(t('coins.title'), [
        h('p', null, h('b', null, t('coins.have', { coins: number.format(me.sesacCoin) }))),
        h('ul', { class: 'rows' }, items.map(({ item, amount }) => h('li', { class: 'row' }, icon('coin'), h('b', { class: 'grow' }, item), t('coins.price', { amount: number.format(Number(amount)) })))),
        h('p', { class: 'hint' }, t('coins.text')),
    ]);
}
