import { h } from './dom.js';
import { t } from './i18n.js';
import { app } from './state.js';

const KEPT = 'maru.issuer';

/**
 * Sends the user to an issuer of OpenID Connect, and keeps the ticket in this window until they come back.
 * @param {object} [goal] the purpose of a sign-in that is only a proof for the present session; it comes back with the reply
 */
export async function goToIssuer({ name, title }, goal = null) {
    const { url, ticket } = await app.client.session.beginAtIssuer(name, `${location.origin}/`);
    const state = new URL(url).searchParams.get('state');
    sessionStorage.setItem(KEPT, JSON.stringify({ ticket, state, title, goal, hash: location.hash }));
    // An issuer sends a user that it knows back at once, though somebody else may sit here now: it has to ask again.
    location.assign(goal ? `${url}&max_age=0` : url);
}

/**
 * Takes the reply of an issuer out of the address of the page, so that a reload does not repeat it. Null if there is none, or if
 * this window has not asked for it: anybody can make a link with the address of a reply, which must not use the ticket up, nor take
 * the place of the chat.
 * @returns {{ticket: string, title: string, goal: object|null, state: string, code?: string, iss?: string}|null}
 */
export function takeIssuerReply() {
    const query = new URLSearchParams(location.search);
    if (!query.has('state')) return null;
    const [state, code, iss] = ['state', 'code', 'iss'].map((each) => query.get(each) ?? undefined);
    const kept = JSON.parse(sessionStorage.getItem(KEPT));
    const isAsked = kept?.state === state;
    history.replaceState(null, '', `/${isAsked ? kept.hash : ''}`);
    if (!isAsked) return null;
    sessionStorage.removeItem(KEPT);
    return { ticket: kept.ticket, title: kept.title, goal: kept.goal ?? null, state, code, iss };
}

/**
 * A button for each issuer that the server knows; nothing without any.
 * @param {string} label the name of the text of a button
 * @param {(issuer: {name: string, title: string}) => Promise} go goes to an issuer, and tells of a failure
 */
export function issuerButtons(label, go) {
    const buttons = h('div', { class: 'issuers' });
    const press = async (issuer, button) => {
        button.disabled = true;
        await go(issuer);
        button.disabled = false;
        // A button that is disabled loses the focus.
        if (button.isConnected && document.activeElement === document.body) button.focus();
    };
    app.client.session.issuers().catch(() => []).then((issuers) => {
        if (!issuers.length) return;
        buttons.replaceChildren(h('p', { class: 'or' }, h('span', null, t('auth.or'))), ...issuers.map((each) =>
            h('button', { type: 'button', class: 'button', onclick: (event) => press(each, event.currentTarget) }, t(label, { title: each.title }))));
    });
    return buttons;
}
