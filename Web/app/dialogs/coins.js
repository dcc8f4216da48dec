import { h, icon } from '../dom.js';
import { explain, t } from '../i18n.js';
import { openDialog } from '../parts/dialog.js';
import { attempt } from '../parts/toast.js';
import { app } from '../state.js';

/** The coins of the account and their prices, with a way to buy them where the page has a payment window. */
export async function openCoins() {
    const found = await attempt(() => Promise.all([app.client.routes.me(), app.client.routes.items()]));
    if (!found) return;
    const [me, items] = found;
    const window = document.querySelector('meta[name="maru-payments"]')?.content;
    const number = new Intl.NumberFormat();
    const balance = h('b', { class: 'balance' });
    const state = h('p', { class: 'hint', role: 'status' });
    const show = ({ sesacCoin }) => (balance.textContent = t('coins.have', { coins: number.format(sesacCoin) }));
    const buy = async ({ item, amount }, button) => {
        const buttons = [...button.closest('ul').querySelectorAll('button')];
        for (const each of buttons) each.disabled = true;
        state.className = 'hint';
        state.textContent = t('coins.paying');
        try {
            const order = await app.client.routes.order(item);
            await app.client.routes.pay(await pay(window, order), order.merchant_uid);
            show(await app.client.routes.me());
            state.textContent = t('coins.bought', { item });
        } catch (error) {
            state.className = 'fault';
            state.textContent = explain(error);
        } finally {
            for (const each of buttons) each.disabled = false;
            button.focus();
        }
    };
    show(me);
    openDialog(t('coins.title'), [
        h('p', null, balance),
        h('ul', { class: 'rows' }, items.map((each) => h('li', { class: 'row' }, icon('coin'), h('b', { class: 'grow' }, each.item),
            t('coins.price', { amount: number.format(Number(each.amount)) }),
            window && h('button', { type: 'button', class: 'button small primary', 'aria-label': `${t('coins.buy')} ${each.item}`, onclick: (event) => buy(each, event.currentTarget) }, t('coins.buy'))))),
        state,
        h('p', { class: 'hint' }, t(window ? 'coins.test' : 'coins.text')),
    ]);
}

/** Pays an order at the stand-in of the payment provider. Returns the number of the payment. */
async function pay(window, { merchant_uid, item, amount }) {
    const imp_uid = `imp_${crypto.randomUUID().replaceAll('-', '').slice(0, 16)}`;
    const reply = await fetch(window, { method: 'POST', body: JSON.stringify({ imp_uid, merchant_uid, amount: Number(amount), name: item }) });
    if (!reply.ok) throw Object.assign(new Error('The payment failed.'), { code: 'E81' });
    return imp_uid;
}
