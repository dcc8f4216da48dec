import { app } from './state.js';

/** A user that has not touched this page for this long is away. */
const AWAY_AFTER = 10 * 60_000;

/** Tells the server whether the user is at this page, for others to see. A new connection counts as active until the page says otherwise. */
export function startActivity() {
    let isActive = true;
    let timer = null;
    const tell = (next) => {
        if (next === isActive) return;
        isActive = next;
        app.client.present(isActive);
    };
    const touched = () => {
        tell(true);
        clearTimeout(timer);
        timer = setTimeout(() => tell(false), AWAY_AFTER);
    };
    for (const name of ['pointermove', 'pointerdown', 'keydown', 'wheel', 'focus']) addEventListener(name, touched, { passive: true, capture: true });
    app.client.live.on('state', ({ state }) => state === 'live' && !isActive && app.client.present(false));
    touched();
}
