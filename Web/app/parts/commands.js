import { h, iconButton, keyed, View } from '../dom.js';
import { explain, t } from '../i18n.js';
import { renderMarkup } from '../markup.js';
import { privateAnswers } from '../private-answers.js';
import { app } from '../state.js';

const ORDER = /^\/([a-z0-9\uac00-\ud7a3-]{1,32})(?:\s+([\s\S]*))?$/u;
const LAST = 30_000;
/** The commands of workspaces, and when they were read. */
const known = new Map();

/** Reads a command with the text after it; null for an ordinary message. A space before the slash makes it one. */
export const orderIn = (text) => {
    const match = ORDER.exec(text.trimEnd().normalize('NFC'));
    return match && { name: match[1], text: match[2] ?? '' };
};

/** The commands that begin like a text field, for its completion. Calls `whenKnown` once they have been read. */
export function commandsOf(workspace, whenKnown) {
    const held = known.get(workspace);
    if (held && Date.now() - held.at < LAST) return held.items;
    known.set(workspace, { at: Date.now(), items: held?.items ?? [] });
    app.client.routes.commands(workspace).then(({ items }) => {
        known.set(workspace, { at: Date.now(), items });
        whenKnown();
    }, () => known.delete(workspace));
    return held?.items ?? [];
}

/** Runs a command in the room of a composer. Returns whether it was taken. */
export async function runCommand(place, room, order, thread) {
    const row = privateAnswers.begin(place, order.name, order.text);
    try {
        const reply = await app.client.routes.runCommand(room, { ...order, thread });
        if (reply.message) app.store.take(room.key, reply.message);
        privateAnswers.end(place, row, reply);
        return true;
    } catch (error) {
        privateAnswers.fail(place, row, error);
        return false;
    }
}

/** The answers that only this user sees, above the composer of their `place`. */
class Answers extends View {
    #list = h('ul', { class: 'private-answers', 'aria-live': 'polite', 'aria-label': t('command.answers'), tabindex: '0', hidden: true });

    setup() {
        this.replaceChildren(this.#list);
        this.listen(privateAnswers, 'changed', (place) => place === this.place && this.render());
    }

    render() {
        const rows = privateAnswers.of(this.place);
        this.#list.hidden = !rows.length;
        keyed(this.#list, rows.map((row) => ({ key: row.key, signature: [row], make: () => answerRow(this.place, row) })));
        this.#list.scrollTop = this.#list.scrollHeight;
    }
}

function answerRow(place, row) {
    const text = { running: () => t('command.running'), waiting: () => t('command.waiting'), failed: () => failure(row) }[row.state]?.();
    return h('li', { class: row.state === 'failed' ? 'private-answer fault' : 'private-answer', data: { state: row.state } },
        h('div', null,
            h('p', { class: 'private-mark' }, h('b', null, row.answer?.nickname ?? `/${row.command}`), ' ',
                row.state === 'answered' && h('span', null, t('command.private', { name: `/${row.command}` }))),
            text ? [h('p', null, text), row.state === 'failed' && row.text && h('p', null, `/${row.command} ${row.text}`)] : h('div', { class: 'text' }, renderMarkup(row.answer.text))),
        iconButton('close', t('command.dismiss'), () => privateAnswers.remove(place, row.key), { class: 'icon-button small', size: 16 }));
}

/** A failed command in words of the user's language. */
function failure({ command, error }) {
    const text = t(`command.${error.code}`, { name: `/${command}` });
    return text === `command.${error.code}` ? explain(error) : text;
}

customElements.define('maru-private-answers', Answers);
