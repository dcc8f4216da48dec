import { Emitter } from '../maru/emitter.js';

const INVITATION = 'maru.invitation';

/**
 * The state of this page beside the client's store: the place on the screen, the panel beside it, and the choices kept on this
 * device. Emits `route`, `panel` and `look`, and `scheduled` after a message was scheduled here.
 */
class App extends Emitter {
    /** @type {import('../maru/client.js').MaruClient} */
    client = null;
    /** `{workspace, room, seq}` of the address. */
    route = {};
    /** `{kind, ...}` of the panel at the right, or null. */
    panel = null;
    /** The other tabs of this browser. */
    tabs = new BroadcastChannel('maru');

    /** The token of an invitation that the address named, until it was looked at; it lasts through a sign-in elsewhere. */
    get invitation() {
        return sessionStorage.getItem(INVITATION);
    }

    set invitation(token) {
        if (token) sessionStorage.setItem(INVITATION, token);
        else sessionStorage.removeItem(INVITATION);
    }

    get store() {
        return this.client.store;
    }

    get room() {
        return this.route.room ? this.store.rooms.get(this.route.room) : undefined;
    }

    /** Goes to a place by the address, so that Back returns. */
    go({ workspace, room, seq }, { replace = false } = {}) {
        const hash = `#/${[workspace, room, seq].filter((each) => each !== undefined && each !== null).join('/')}`;
        if (hash === location.hash) return this.read();
        if (replace) {
            history.replaceState(null, '', hash);
            this.read();
        } else {
            location.hash = hash;
        }
    }

    /** Reads the address. */
    read() {
        const [, workspace, room, seq] = location.hash.split('/');
        // An invitation is shown once the user is signed in.
        if (workspace === 'join') {
            this.invitation = room;
            return this.go({}, { replace: true });
        }
        const isAway = workspace !== this.route.workspace;
        const isOther = isAway || room !== this.route.room;
        this.route = { workspace: workspace || undefined, room: room || undefined, seq: seq ? Number(seq) : undefined };
        if (isOther && this.panel && (isAway || this.panel.kind !== 'search')) this.show(null);
        this.emit('route', this.route);
    }

    show(panel) {
        this.panel = panel;
        this.emit('panel', panel);
    }

    toggle(kind, more = {}) {
        this.show(this.panel?.kind === kind ? null : { kind, ...more });
    }

    // Choices of this device

    get(name) {
        try {
            return localStorage.getItem(`maru.${name}`);
        } catch {
            return null;
        }
    }

    set(name, value) {
        try {
            if (value === null) localStorage.removeItem(`maru.${name}`);
            else localStorage.setItem(`maru.${name}`, value);
        } catch {
            // A browser may refuse storage; the choice then lasts until the page is left.
        }
    }

    /** The names of kept values that begin alike. */
    names(beginning) {
        try {
            return Object.keys(localStorage).filter((each) => each.startsWith(`maru.${beginning}`)).map((each) => each.slice('maru.'.length));
        } catch {
            return [];
        }
    }

    applyTheme(theme = this.get('theme') ?? 'auto') {
        document.documentElement.dataset.theme = theme;
        const isDark = theme === 'dark' || (theme === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches);
        document.documentElement.dataset.shade = isDark ? 'dark' : 'light';
    }
}

export const app = new App();
