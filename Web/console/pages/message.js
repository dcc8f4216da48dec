import { h } from '../../app/dom.js';
import { t } from '../../app/i18n.js';
import { field } from '../../app/parts/dialog.js';
import { count } from '../numbers.js';
import { operator } from '../operator.js';
import { load, query } from '../parts/load.js';
import { exactly, shown, table } from '../parts/table.js';

/** The path of one message, by its room and number: committed, published, fanned out, pushed. */
class MessageWay extends HTMLElement {
    connectedCallback() {
        const [room, seq] = this.path;
        this.result = h('div', { class: 'result', 'aria-live': 'polite' });
        this.replaceChildren(
            query([
                field(t('message.room'), { name: 'room', required: true, pattern: '(channel|dm)-[0-9]+', placeholder: 'channel-7', value: room ?? '' }),
                field(t('message.seq'), { name: 'seq', required: true, inputmode: 'numeric', pattern: '[1-9][0-9]*', value: seq ?? '' }),
            ], t('console.show'), ({ room, seq }) => {
                const hash = `#/message/${room}/${seq}`;
                if (hash === location.hash) this.show(room, seq);
                else location.hash = hash;
            }),
            this.result);
        if (room && seq) this.show(room, seq);
    }

    show(room, seq) {
        load(this.result, () => read(room, seq), (way) => [steps(way), pushed(way)]);
    }
}

async function read(room, seq) {
    const message = await operator.get('chat-service', `/operator/rooms/${encodeURIComponent(room)}/messages/${encodeURIComponent(seq)}`);
    const [found, deliveries, decided] = await Promise.all([
        operator.get('chat-service', `/operator/rooms/${encodeURIComponent(room)}`),
        deliveriesOf(room, seq),
        known(operator.get('realtime-gateway', `/operator/pushes/${room}/${seq}`)),
    ]);
    return { message, room: found, decided, deliveries: deliveries.filter((each) => each.reply) };
}

async function deliveriesOf(room, seq) {
    const gateways = (await operator.instances()).filter((each) => each.service === 'realtime-gateway');
    return Promise.all(gateways.map(async (each) => ({ ...each, reply: await known(operator.ask(each, `/operator/deliveries/${room}/${seq}`)) })));
}

/** The reply, or null if the record is not there: yet, or any more. A gateway that does not answer hides no other part of the path. */
const known = (call) => call.catch((error) => {
    if (error.status === 404) return null;
    if (error.isSilence) return { isSilent: true };
    throw error;
});

function steps({ message, room, decided, deliveries }) {
    const pushed = decided?.users?.filter((each) => each.isPushed).length;
    return h('ol', { class: 'way' },
        step('committed', true, [exactly(message.committedAt), ' · ', t('message.by', { user: message.user_id, name: room.name ?? message.room }),
            message.isScheduled && ` · ${t('message.scheduled')}`, message.deletedAt && [' · ', t('message.deleted'), ' ', exactly(message.deletedAt)]]),
        step('published', message.state === 'published',
            message.state === 'waiting' ? t('message.waiting') : message.publishedAt ? exactly(message.publishedAt) : t('message.published')),
        step('fannedOut', deliveries.some((each) => each.reply.deliveredAt), h('ul', null, deliveries.map((each) => h('li', null, h('code', null, each.address), ': ', delivered(each.reply, message))))),
        step('pushed', pushed > 0, decided?.isSilent ? t('console.silent', { service: 'realtime-gateway' }) : decided ? [t('message.pushedTo', { pushed, all: decided.users.length }), ' · ', exactly(decided.decidedAt)] : t('message.undecided')));
}

const step = (name, isDone, detail) => h('li', { data: { step: name, done: isDone ? 'yes' : 'no' } }, h('h2', null, t(`message.${name}`)), h('div', null, detail));

function delivered(reply, message) {
    if (reply.isSilent) return t('state.silent');
    if (reply.deliveredAt) return [t('message.sockets', { count: reply.sockets, sockets: count(reply.sockets) }), ' · ', exactly(reply.deliveredAt)];
    return new Date(message.committedAt) >= new Date(reply.since) ? t('message.sockets', { count: 0, sockets: count(0) }) : t('message.forgotten');
}

function pushed({ decided }) {
    if (!decided || decided.isSilent) return null;
    return table(t('message.reasons'), ['user', 'isPushed', 'reason', 'outcome'].map((each) => t(`message.${each}`)), decided.users.map((each) => [
        h('a', { href: `#/users/${each.user_id}` }, each.user_id), shown(each.isPushed), h('code', null, each.reason),
        decided.pushes.filter((push) => push.user_id === each.user_id).map((push) => push.outcome ?? t('message.underWay')).join(', ') || undefined,
    ]));
}

customElements.define('console-message', MessageWay);
