import { app } from './state.js';

/** How long a text counts that was on its way as its page was left: it has arrived by then, and may have been sent elsewhere. */
const ON_ITS_WAY = 60_000;
/** How long a text counts that was written without a network. */
const OFFLINE = 7 * 86_400_000;
/** The number of earlier texts that the server may have instead. */
const MOST_EARLIER = 20;

/**
 * Drafts that the server has not taken yet, kept in this browser for the page that is opened next: the list of rooms may come before the
 * server has the text, and without a network it has none. A `place` begins with the user.
 */
const BEGINNING = 'draft.';
const nameOf = (place) => `${BEGINNING}${place}`;
/** The time of the newest text of a place, in any tab of this browser. It stays when the server has the text. */
const WRITTEN = 'written.';
const writtenName = (place) => `${WRITTEN}${place}`;

function read(place) {
    try {
        const kept = JSON.parse(app.get(nameOf(place)));
        return Date.now() - kept.at < (kept.isOffline ? OFFLINE : ON_ITS_WAY) ? kept : null;
    } catch {
        return null;
    }
}

/** The time of the newest text that was kept at a place, by any tab; 0 if there is none. */
export const writtenAt = (place) => Number(app.get(writtenName(place)) ?? 0);

/** The time of a text that is written now: after all others of its place, also if the clock was put back. */
export const writingTime = (place) => Math.max(Date.now(), writtenAt(place) + 1);

/** Keeps a text, written at a time, that takes the place of a stored one. */
export function keepDraft(place, { content, at }, stored) {
    const kept = read(place);
    const [first, ...others] = kept ? [...kept.earlier, kept.content] : [stored];
    const earlier = [...new Set([first, ...others.slice(-MOST_EARLIER)])];
    app.set(nameOf(place), JSON.stringify({ content, earlier, at: Date.now(), isOffline: app.client.connection === 'offline' }));
    app.set(writtenName(place), String(at));
}

/** The server has the text. Another tab may have kept a newer one meanwhile. */
export function dropDraft(place, content) {
    if ((read(place)?.content ?? content) === content) app.set(nameOf(place), null);
}

/** Returns the text that an earlier page has left, unless the server has it, or another one that was written elsewhere since. */
export function leftDraft(place, stored) {
    const kept = read(place);
    const isNewer = kept && kept.content !== stored && kept.earlier.includes(stored);
    if (!isNewer) app.set(nameOf(place), null);
    return isNewer ? kept.content : undefined;
}

/** Forgets the texts of a user that signs out: somebody else may use the browser next. */
export function dropDraftsOf(user) {
    for (const name of [nameOf, writtenName].flatMap((each) => app.names(each(`${user} `)))) app.set(name, null);
}

/** Forgets the texts and times that count no more. Their rooms may never be opened again. */
export function dropOldDrafts() {
    for (const name of app.names(BEGINNING)) if (!read(name.slice(BEGINNING.length))) app.set(name, null);
    for (const name of app.names(WRITTEN)) if (Date.now() - writtenAt(name.slice(WRITTEN.length)) > OFFLINE) app.set(name, null);
}
