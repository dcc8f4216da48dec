import { app } from './state.js';

const KEPT = 'maru.issuer';

/** Sends the user to an issuer of OpenID Connect, and keeps the ticket in this window until they come back. */
export async function goToIssuer({ name, title }) {
    const { url, ticket } = await app.client.session.beginAtIssuer(name, `${location.origin}/`);
    sessionStorage.setItem(KEPT, JSON.stringify({ ticket, title, hash: location.hash }));
    location.assign(url);
}

/**
 * Takes the reply of an issuer out of the address of the page, so that a reload does not repeat it. Null if there is none, or if
 * this window has not asked for it.
 * @returns {{ticket: string, title: string, state: string, code?: string, iss?: string}|null}
 */
export function takeIssuerReply() {
    const query = new URLSearchParams(location.search);
    if (!query.has('state')) return null;
    const kept = JSON.parse(sessionStorage.getItem(KEPT));
    sessionStorage.removeItem(KEPT);
    history.replaceState(null, '', `/${kept?.hash ?? ''}`);
    if (!kept) return null;
    const [state, code, iss] = ['state', 'code', 'iss'].map((each) => query.get(each) ?? undefined);
    return { ticket: kept.ticket, title: kept.title, state, code, iss };
}
