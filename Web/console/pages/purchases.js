import { h } from '../../app/dom.js';
import { t } from '../../app/i18n.js';
import { field } from '../../app/parts/dialog.js';
import { operator } from '../operator.js';
import { act } from '../parts/act.js';
import { load, query } from '../parts/load.js';
import { record, shown, table } from '../parts/table.js';
import { userId } from '../user-id.js';

/** The purchases of a user, and one of them: `#/purchases/of/5` and `#/purchases/7`. */
class Purchases extends HTMLElement {
    connectedCallback() {
        const [first, user] = this.path;
        this.result = h('div', { class: 'result' });
        this.replaceChildren(
            query([field(t('purchases.user'), { name: 'user', required: true, value: user ?? '' })], t('console.show'), ({ user }) => {
                const hash = `#/purchases/of/${encodeURIComponent(user)}`;
                if (hash === location.hash) this.list(user);
                else location.hash = hash;
            }),
            this.result);
        if (first === 'of' && user) this.list(user);
        else if (first) this.show(first);
    }

    list(user) {
        load(this.result, async () => operator.get('payment-service', `/operator/users/${await userId(user)}/purchases`), ({ purchases }) =>
            table(t('page.purchases'), ['id', 'provider', 'item', 'amount', 'status', 'coins', 'refunded', 'paidAt'].map((each) => t(`purchases.${each}`)), purchases.map((each) => [
                h('a', { href: `#/purchases/${each.purchase_id}` }, each.purchase_id), each.provider, each.item, `${each.amount} ${each.currency ?? ''}`, each.status,
                each.coins, each.refunded, each.paidAt && shown(each.paidAt),
            ]), { empty: t('purchases.none') }));
    }

    show(id) {
        load(this.result, () => operator.get('payment-service', `/operator/purchases/${encodeURIComponent(id)}`), (purchase) => [
            record(purchase),
            purchase.status === 'paid' && h('div', { class: 'acts' }, act('purchases.refund', purchase.purchase_id,
                () => operator.call('DELETE', 'payment-service', `/operator/purchases/${purchase.purchase_id}`), () => this.show(id))),
        ]);
    }
}

customElements.define('console-purchases', Purchases);
