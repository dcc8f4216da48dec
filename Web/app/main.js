import { MaruClient, openStorage } from '../maru/index.js';
import { startActivity } from './activity.js';
import { h } from './dom.js';
import { chooseLanguage, explain, t } from './i18n.js';
import { takeIssuerReply } from './issuers.js';
import { startNotices } from './notices.js';
import { refuseOtherDrops } from './parts/drop.js';
import { privateAnswers } from './private-answers.js';
import { app } from './state.js';
import './views/gate.js';
import { savedMessages } from './views/message-actions.js';
import './views/shell.js';

/** The root: the sign-in or the chat, by the state of the session. */
class MaruApp extends HTMLElement {
    async connectedCallback() {
        chooseLanguage(app.get('language'));
        app.applyTheme();
        matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => app.applyTheme());
        app.on('look', () => this.show(app.client.session.isSignedIn ? 'maru-shell' : 'maru-gate'));
        this.replaceChildren(h('div', { class: 'gate' }, h('div', { class: 'spinner', role: 'status', 'aria-label': t('auth.restoring') })));
        const key = document.querySelector('meta[name="maru-key"]').content;
        app.client = new MaruClient({ base: location.origin, key, keeps: 'cookie', storage: await openStorage() });
        privateAnswers.follow(app.client);
        app.tabs.onmessage = ({ data }) => app.client.session.isSignedIn && app.client.changedElsewhere(data);
        addEventListener('online', () => app.client.wake());
        addEventListener('offline', () => app.client.session.isSignedIn && app.client.lost());
        // Not every browser tells at once that the network is gone.
        app.client.outbox.on('unreachable', () => navigator.onLine || app.client.lost());
        document.addEventListener('visibilitychange', () => !document.hidden && app.client.wake());
        addEventListener('hashchange', () => app.read());
        const reply = takeIssuerReply();
        app.read();
        startNotices();
        startActivity();
        refuseOtherDrops();
        if (reply) this.show('maru-gate', { reply });
        else await this.restore();
        app.client.session.on('changed', (user) => {
            savedMessages.seqs.clear();
            if (user) this.#repeat(() => this.enter());
            else if (app.client.session.isReplaced) location.reload();
            else this.show('maru-gate', { isEnded: true });
        });
    }

    /** Takes up the session of the last visit. */
    restore() {
        return this.#repeat(async () => {
            const user = app.get('signedIn') ? await app.client.session.restore() : null;
            return user ? this.enter() : this.show('maru-gate');
        });
    }

    /** Without a network it tries again until there is one. */
    async #repeat(work) {
        const opening = h('div', { class: 'gate' }, h('div', { class: 'spinner', role: 'status', 'aria-label': t('auth.restoring') }));
        this.replaceChildren(opening);
        for (let wait = 1000; ; wait = Math.min(wait * 2, 15_000)) {
            try {
                return await work();
            } catch (error) {
                if (!error.isTemporary) return this.show('maru-gate');
                opening.replaceChildren(opening.firstElementChild, h('p', { class: 'hint' }, explain(error)));
                await new Promise((resolve) => setTimeout(resolve, Math.max(wait, error.retryAfter * 1000)));
            }
        }
    }

    async enter() {
        app.set('signedIn', '1');
        await app.client.start();
        this.show('maru-shell');
    }

    show(name, props) {
        if (name === 'maru-gate') {
            app.set('signedIn', null);
            // Nothing of the user stays on the screen.
            app.panel = null;
            for (const each of document.querySelectorAll('dialog[open]')) each.close();
        }
        this.replaceChildren(Object.assign(document.createElement(name), props));
    }
}

customElements.define('maru-app', MaruApp);
