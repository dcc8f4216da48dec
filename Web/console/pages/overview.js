import { h, View } from '../../app/dom.js';
import { t } from '../../app/i18n.js';
import { gauge, live, rate, rates, recent } from '../live.js';
import { total } from '../metrics.js';
import { count, lasting, milliseconds, perSecond } from '../numbers.js';
import { sparkline } from '../parts/sparkline.js';
import { table } from '../parts/table.js';

const FAILED = (labels) => labels.outcome === 'failed';

/** All instances with their versions and states, and the product's rates and times, every two seconds. */
class Overview extends View {
    setup() {
        this.onEnd(live.follow(() => this.invalidate()));
    }

    render() {
        if (live.error) return this.replaceChildren(h('p', { class: 'fault', role: 'alert' }, live.error.text ?? String(live.error)));
        if (!live.isReady) return this.replaceChildren(h('div', { class: 'spinner', role: 'status', 'aria-label': t('console.loading') }));
        const all = live.of();
        const gateways = live.of('realtime-gateway');
        const chat = live.of('chat-service');
        const scrolled = this.querySelector('.frame')?.scrollLeft;
        const hadFocus = this.contains(document.activeElement);
        this.replaceChildren(
            h('ul', { class: 'tiles' },
                tile('calls', perSecond(rate(all, 'maru_calls_total')), rates(all, 'maru_calls_total')),
                tile('callTime', `${milliseconds(recent(all, 'maru_call_seconds', 0.5))} · ${milliseconds(recent(all, 'maru_call_seconds', 0.99))}`),
                tile('messages', perSecond(rate(chat, 'maru_messages_sent_total')), rates(chat, 'maru_messages_sent_total')),
                tile('deliveries', perSecond(rate(gateways, 'maru_deliveries_total')), rates(gateways, 'maru_deliveries_total')),
                tile('deliveryLag', `${milliseconds(recent(gateways, 'maru_delivery_lag_seconds', 0.5))} · ${milliseconds(recent(gateways, 'maru_delivery_lag_seconds', 0.99))}`),
                tile('sockets', count(gauge(gateways, 'maru_sockets')))),
            table(t('overview.instances'),
                ['service', 'address', 'version', 'state', 'uptime', 'callRate', 'failedRate', 'callTime'].map((each) => t(`overview.${each}`)),
                all.sort((one, other) => one.service.localeCompare(other.service) || one.place - other.place).map(row)));
        const frame = this.querySelector('.frame');
        if (frame && scrolled) frame.scrollLeft = scrolled;
        if (hadFocus) frame?.focus({ preventScroll: true });
    }
}

const tile = (name, value, line) => h('li', { data: { tile: name } }, h('span', null, t(`overview.${name}`)), h('b', null, value), line && sparkline(line));

function row(instance) {
    const started = total(instance.samples.at(-1)?.metrics, 'process_start_time_seconds');
    return [
        instance.service, h('code', null, instance.address), instance.status?.version, state(instance),
        started === undefined ? undefined : lasting(Date.now() / 1000 - started),
        perSecond(rate([instance], 'maru_calls_total')), perSecond(rate([instance], 'maru_calls_total', FAILED)),
        `${milliseconds(recent([instance], 'maru_call_seconds', 0.5))} · ${milliseconds(recent([instance], 'maru_call_seconds', 0.99))}`,
    ];
}

function state({ status, isSilent }) {
    const known = isSilent ? 'silent' : { ready: 'ready', draining: 'draining', starting: 'starting' }[status.state] ?? 'failing';
    const text = t(`state.${known}`);
    return h('span', { class: 'state', data: { state: known } }, known === 'failing' || (isSilent && status) ? `${text}: ${status.state}` : text);
}

customElements.define('console-overview', Overview);
