import { app } from './state.js';

/**
 * The panel, dialogs and menus, which cover the room on a narrow screen. People close them with Back, so each opens an entry in the
 * history of the browser, with the address of the room. The state of an entry has the number of layers (`layers`) and the panel, which
 * Forward opens again for the same user.
 *
 * A layer that is closed in another way leaves its entry behind. The next layer takes that entry, and Back passes over it.
 */
class Layers {
    #isNarrow = matchMedia('(max-width: 760px)');
    #isOn = false;
    /** The open layers as `{close}`, the top one last. */
    #open = [];
    #panel = null;
    /** The address and the number of layers of the entry that the page is at. */
    #address = '';
    #depth = 0;

    /** Begins to follow the history. A page that never calls this, such as the console, gets no entries. */
    start() {
        this.#isOn = true;
        // After a reload nothing is open, and Back passes over the entry.
        if (history.state?.layers) history.replaceState({ layers: history.state.layers }, '');
        this.#arrive();
        app.on('panel', (panel) => this.#follow(panel));
        app.on('route', () => this.#arrive());
        // An entry with another address is a place of its own; `route` tells of it.
        addEventListener('popstate', () => location.hash === this.#address && this.#move());
    }

    /** Adds a layer that Back closes with `close`. Returns it for `leave`. */
    enter(close) {
        if (!this.#isOn || !this.#isNarrow.matches) return null;
        const layer = { close };
        this.#open.push(layer);
        const { length } = this.#open;
        if (length > (history.state?.layers ?? 0)) {
            history.pushState({ layers: length }, '');
            this.#depth = length;
        }
        return layer;
    }

    /** Removes a layer that was closed. */
    leave(layer) {
        this.#open = this.#open.filter((each) => each !== layer);
    }

    /** Keeps the panel in the entry, as it is now. */
    note(panel) {
        const { layers } = history.state ?? {};
        if (layers) history.replaceState({ layers, ...(panel && { panel, user: app.store.me }) }, '');
    }

    #follow(panel) {
        if (!panel) {
            this.leave(this.#panel);
            this.#panel = null;
        } else {
            this.#panel ??= this.enter(() => app.show(null));
        }
        this.note(panel);
    }

    /** The page is at another place, or at the same one in another entry. */
    #arrive() {
        const isOther = location.hash !== this.#address;
        this.#address = location.hash;
        this.#depth = history.state?.layers ?? 0;
        if (isOther) this.#openAgain();
    }

    /** The user goes to another entry of the same place. */
    #move() {
        const before = this.#depth;
        this.#depth = history.state?.layers ?? 0;
        if (this.#depth > before) this.#openAgain();
        // Browsers also tell of a step to a new address, which may have been replaced meanwhile.
        if (this.#depth >= before) return;
        if (this.#open.length <= this.#depth) history.back();
        while (this.#open.length > this.#depth) this.#open.pop().close();
    }

    /** Opens the panel of the entry, unless somebody else has left it in this window. */
    #openAgain() {
        const { panel, user } = history.state ?? {};
        if (panel && !app.panel && app.client.session.isSignedIn && user === app.store.me) app.show(panel);
    }
}

export const layers = new Layers();
