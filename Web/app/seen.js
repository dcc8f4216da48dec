import { app } from './state.js';

/** How long a message belongs to the tab that notifies of it; another tab may hear of it later. */
const TAKEN_LASTS = 30_000;
/** A browser without locks has no notifications either, as a rule. */
const { locks } = navigator;
const lockOf = (room) => `maru-seen ${room}`;

/** The room that the user looks at in this tab. */
const seenHere = () => (document.hasFocus() ? app.route.room : undefined);

/** Holds a lock for the room that the user looks at, so that the other tabs know. It ends with the tab. */
export function tellSeen() {
    let seen;
    let leave = () => {};
    const look = () => {
        if (seenHere() === seen) return;
        seen = seenHere();
        leave();
        const left = new Promise((resolve) => (leave = resolve));
        if (seen) locks?.request(lockOf(seen), { mode: 'shared' }, () => left).catch(() => {});
    };
    app.on('route', look);
    // In some browsers the page still has the focus when the event arrives.
    for (const name of ['focus', 'blur']) addEventListener(name, () => setTimeout(look));
    look();
}

/** Whether the user looks at a room, in any tab of this browser. */
export async function isSeen(room) {
    if (seenHere() === room) return true;
    // A page that is being left cannot ask any more.
    const { held } = (await locks?.query().catch(() => null)) ?? { held: [] };
    return held.some(({ name }) => name === lockOf(room)) || seenHere() === room;
}

/** Takes a message for this tab. Returns false if another tab has taken it. */
export function take(room, seq) {
    if (!locks) return true;
    return new Promise((resolve) => {
        locks.request(`maru-notice ${room}/${seq}`, { ifAvailable: true }, (lock) => {
            resolve(lock !== null);
            return lock && new Promise((end) => setTimeout(end, TAKEN_LASTS));
        }).catch(() => resolve(true));
    });
}
