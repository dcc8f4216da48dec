import { h, View } from '../../app/dom.js';
import { sizeOf } from '../../app/format.js';
import { t } from '../../app/i18n.js';
import { gauge, live, rate } from '../live.js';
import { count, perSecond } from '../numbers.js';
import { silence } from '../parts/silence.js';
import { table } from '../parts/table.js';

/** The open sockets of each gateway by client and transport. */
class Sockets extends View {
    setup() {
        this.onEnd(live.follow(() => this.invalidate()));
    }

    render() {
        if (live.error) return this.replaceChildren(h('p', { class: 'fault', role: 'alert' }, live.error.text ?? String(live.error)));
        if (!live.isReady) return this.replaceChildren(h('div', { class: 'spinner', role: 'status', 'aria-label': t('console.loading') }));
        const gateways = live.of('realtime-gateway');
        this.replaceChildren(
            ...silence(gateways),
            table(t('sockets.byClient'), ['gateway', 'client', 'transport', 'open'].map((each) => t(`sockets.${each}`)),
                gateways.flatMap((each) => kinds(each).map(({ profile, transport, open }) => [h('code', null, each.address), profile, transport, count(open)])),
                { empty: t('sockets.none') }),
            table(t('sockets.byGateway'), ['gateway', 'open', 'queued', 'delivered', 'cutOff', 'refused'].map((each) => t(`sockets.${each}`)),
                gateways.map((each) => [
                    h('code', null, each.address), count(gauge([each], 'maru_sockets')), sizeOf(gauge([each], 'maru_socket_queue_bytes')),
                    perSecond(rate([each], 'maru_deliveries_total')), count(gauge([each], 'maru_sockets_cut_off_total')),
                    count(gauge([each], 'maru_handshakes_refused_total')),
                ])));
    }
}

const kinds = (gateway) => (gateway.samples.at(-1)?.metrics.get('maru_sockets') ?? [])
    .filter((each) => each.value > 0)
    .map(({ labels, value }) => ({ ...labels, open: value }))
    .sort((one, other) => other.open - one.open);

customElements.define('console-sockets', Sockets);
