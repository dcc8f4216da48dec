import { h, View } from '../dom.js';
import { t } from '../i18n.js';
import { openSwitcher, switcherKeys } from '../dialogs/switcher.js';
import { open } from '../parts/open.js';
import { attempt } from '../parts/toast.js';
import { app } from '../state.js';
import { storeDrafts } from './composer.js';
import './rail.js';
import './sidebar.js';
import './room.js';
import './panel.js';

/** The frame of the chat: workspaces, rooms, the room and the panel beside it. */
class Shell extends View {
    /** The workspaces whose rooms were asked for, and those whose rooms have come. */
    #loaded = new Set();
    #ready = new Set();
    #main = h('main', { id: 'main', tabindex: '-1' });
    #notice = h('div', { class: 'notice', role: 'status', hidden: true });
    #frame = h('div', { class: 'shell' });
    #sidebar = h('maru-sidebar', { role: 'navigation', 'aria-label': t('nav.rooms') });
    #isNarrow = matchMedia('(max-width: 760px)');

    setup() {
        const skip = h('a', { class: 'skip', href: '#main', onclick: (event) => (event.preventDefault(), (this.#main.querySelector('textarea') ?? this.#main).focus()) }, t('nav.skip'));
        this.#frame.append(this.#notice, h('maru-rail', { role: 'navigation', 'aria-label': t('nav.workspaces') }),
            this.#sidebar, this.#main, h('maru-panel'));
        this.replaceChildren(skip, this.#frame);
        this.listen(app, 'route', () => this.#arrive());
        this.listen(app.store, 'rooms');
        this.listen(app.store, 'workspaces', () => (this.#isHere ? this.invalidate() : this.#arrive()));
        this.listen(app.client, 'connection', () => this.#showConnection());
        this.listen(app.client, 'connection', (state) => state !== 'offline' && storeDrafts());
        const resized = () => this.invalidate();
        this.#isNarrow.addEventListener('change', resized);
        this.onEnd(() => this.#isNarrow.removeEventListener('change', resized));
        const keys = (event) => this.#key(event);
        addEventListener('keydown', keys);
        this.onEnd(() => removeEventListener('keydown', keys));
        this.listen(app, 'route', () => this.#openInvitation());
        this.#arrive();
        this.#openInvitation();
        this.#showConnection();
    }

    /** True if the workspace of the address is known and its rooms are on their way. */
    get #isHere() {
        return app.store.workspaces.has(app.route.workspace) && this.#loaded.has(app.route.workspace);
    }

    #openInvitation() {
        const token = app.invitation;
        app.invitation = null;
        if (token) open('join', 'openInvitation', token);
    }

    /** Loads the rooms of the workspace, once, and goes to a place if the address names none. */
    async #arrive() {
        const { workspace, room } = app.route;
        const [first] = app.store.workspaces.keys();
        if (!workspace || !app.store.workspaces.has(workspace)) {
            // An address that somebody passed on may be of a workspace to ask for; one that was shown is gone.
            if (workspace && !this.#loaded.delete(workspace)) return this.invalidate();
            this.#ready.delete(workspace);
            const last = app.get('workspace');
            const target = app.store.workspaces.has(last) ? last : first;
            if (target && target !== workspace) app.go({ workspace: target }, { replace: true });
            else if (workspace) app.go({}, { replace: true });
            return this.invalidate();
        }
        app.set('workspace', workspace);
        app.client.focus(workspace, room ?? null);
        this.invalidate();
        if (!this.#loaded.has(workspace) && !app.store.unavailable.has(workspace)) {
            this.#loaded.add(workspace);
            await attempt(async () => {
                try {
                    await app.client.loadRooms(workspace);
                    this.#ready.add(workspace);
                } catch (error) {
                    this.#loaded.delete(workspace);
                    throw error;
                }
            });
        }
        if (!app.route.room && app.route.workspace === workspace && innerWidth > 760) this.#goToLast(workspace);
        this.invalidate();
    }

    #goToLast(workspace) {
        const rooms = app.store.roomsOf(workspace);
        const room = rooms.find((each) => each.key === app.get(`room.${workspace}`)) ?? rooms.find((each) => each.kind === 'channel') ?? rooms[0];
        if (room) app.go({ workspace, room: room.key }, { replace: true });
    }

    render() {
        const { room } = app;
        const view = app.route.room ? 'room' : 'list';
        const isBack = this.#isNarrow.matches && view === 'list' && this.#frame.dataset.view === 'room';
        this.#frame.dataset.view = view;
        // On a small screen the list of rooms is all that is shown, so it is the main part of the page.
        this.#sidebar.setAttribute('role', this.#isNarrow.matches && view === 'list' && app.store.workspaces.size ? 'main' : 'navigation');
        const shown = this.#main.firstElementChild;
        if (room) {
            app.set(`room.${room.workspace}`, room.key);
            if (shown?.room !== room.key) {
                const element = document.createElement('maru-room');
                element.room = room.key;
                this.#main.replaceChildren(element);
            }
        } else if (!shown?.classList.contains('empty') || shown.dataset.kind !== this.#emptyKind) {
            this.#main.replaceChildren(this.#empty());
        }
        // The button that led back is gone, and the focus with it.
        if (isBack && document.activeElement === document.body) this.#sidebar.querySelector(`[data-room="${shown?.room}"]`)?.focus();
    }

    get #emptyKind() {
        if (app.route.workspace && !app.store.workspaces.has(app.route.workspace)) return 'outside';
        if (!app.store.workspaces.size) return 'workspaces';
        if (app.store.unavailable.has(app.route.workspace)) return 'unavailable';
        if (app.route.room) return this.#ready.has(app.route.workspace) ? 'closed' : 'loading';
        return 'room';
    }

    #empty() {
        const kind = this.#emptyKind;
        if (kind === 'loading') return h('div', { class: 'empty', data: { kind } }, h('div', { class: 'spinner', role: 'status', 'aria-label': t('room.loading') }));
        const back = () => h('button', { type: 'button', class: 'button only-narrow', onclick: () => app.go({ workspace: app.route.workspace }) }, t('nav.back'));
        if (kind === 'unavailable') return h('div', { class: 'empty', data: { kind } }, h('p', null, t('state.unavailable')), back());
        const action = {
            workspaces: () => h('button', { type: 'button', class: 'button primary', onclick: () => open('workspace', 'createWorkspace') }, t('workspace.create')),
            outside: () => h('div', { class: 'actions' },
                h('button', { type: 'button', class: 'button', onclick: () => app.go({}) }, t('empty.outside.home')),
                h('button', { type: 'button', class: 'button primary', onclick: () => open('entry', 'askToJoin', app.route.workspace) }, t('requests.ask'))),
            closed: () => h('div', { class: 'actions' },
                back(),
                app.route.room.startsWith('channel-') && h('button', { type: 'button', class: 'button primary', onclick: () => this.#join(app.route) }, t('empty.closed.join'))),
        }[kind];
        return h('div', { class: 'empty', data: { kind } },
            h('img', { src: new URL('../icon.svg', import.meta.url).href, alt: '', width: '64' }),
            h('h1', null, t(`empty.${kind}.title`)), h('p', null, t(`empty.${kind}.text`, { keys: switcherKeys })), action?.());
    }

    /** Joins the channel of an address that somebody passed on. */
    #join({ workspace, room }) {
        return attempt(() => app.client.joinChannel(workspace, { channel_id: room.slice('channel-'.length) }));
    }

    #showConnection() {
        const { connection } = app.client;
        // A short break needs no notice.
        clearTimeout(this.telling);
        const tell = () => {
            this.#notice.hidden = app.client.connection !== 'offline';
            this.#notice.classList.toggle('offline', app.client.connection === 'offline');
            this.#notice.textContent = app.client.connection === 'offline' ? t('state.offline') : '';
            this.dataset.connection = app.client.connection;
        };
        if (connection === 'offline') tell();
        else this.telling = setTimeout(tell, 200);
    }

    #key(event) {
        // The Escape that ends a composition of an input method closes nothing.
        const isComposing = event.isComposing || event.keyCode === 229;
        // On some systems the K of a Korean keyboard is ㅏ here. A browser that fills in a field sends an event without a key.
        const isK = event.key?.toLowerCase() === 'k' || (event.code === 'KeyK' && /[ㄱ-ㅣ]/.test(event.key));
        if ((event.ctrlKey || event.metaKey) && isK) {
            event.preventDefault();
            if (!document.querySelector('dialog[open]')) openSwitcher();
        } else if (event.key === 'Escape' && !isComposing && app.panel && !event.defaultPrevented && !document.querySelector('dialog[open], [popover="auto"]:popover-open')) {
            app.show(null);
        }
    }
}

customElements.define('maru-shell', Shell);
