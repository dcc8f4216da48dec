import { h, View } from '../../app/dom.js';
import { t } from '../../app/i18n.js';
import { live, recent } from '../live.js';
import { count, milliseconds } from '../numbers.js';
import { operator } from '../operator.js';
import { load } from '../parts/load.js';
import { silence } from '../parts/silence.js';
import { table } from '../parts/table.js';

const SERVICES = ['auth-service', 'workspace-service', 'chat-service', 'realtime-gateway', 'payment-service'];
const LAGS = ['maru_delivery_lag_seconds', 'maru_push_lag_seconds', 'maru_scheduled_lag_seconds', 'maru_search_lag_seconds'];

/** The work that waits in outboxes, queues and streams, and the lags. */
class Queues extends View {
    setup() {
        this.waiting = h('div', { class: 'result' });
        this.lags = h('div', { class: 'result' });
        this.replaceChildren(this.waiting, h('button', { type: 'button', class: 'button small', onclick: () => this.read() }, t('queues.again')), this.lags);
        this.read();
        this.onEnd(live.follow(() => this.invalidate()));
    }

    read() {
        load(this.waiting, () => Promise.all(SERVICES.map(waitingOf)), (found) =>
            table(t('queues.waiting'), ['service', 'queue', 'length', 'oldest', 'underWay'].map((each) => t(`queues.${each}`)),
                found.flatMap(({ service, queues }) => queues.map((each) => [
                    service, each.queue, each.error ?? count(each.waiting), each.oldestSeconds === undefined ? undefined : `${count(each.oldestSeconds)} s`, each.underWay,
                ]))));
    }

    render() {
        if (!live.isReady) return;
        this.lags.replaceChildren(...silence(live.of()), table(t('queues.lags'), [t('queues.lag'), 'p50', 'p99'],
            LAGS.filter((name) => live.of().some((each) => each.samples.at(-1)?.metrics.has(`${name}_bucket`)))
                .map((name) => [h('span', null, t(`lag.${name}`), ' ', h('code', null, name)), milliseconds(recent(live.of(), name, 0.5)), milliseconds(recent(live.of(), name, 0.99))])));
    }
}

/** The waiting work of a service; one row that names it if it does not answer. */
async function waitingOf(service) {
    try {
        return await operator.get(service, '/operator/queues');
    } catch (error) {
        if (!error.isSilence) throw error;
        return { service, queues: [{ error: t('state.silent') }] };
    }
}

customElements.define('console-queues', Queues);
