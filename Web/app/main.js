import { MaruClient, openStorage } from '../maru/index.js';
import { startActivity } from './activity.js';
import { h } from './dom.js';
import { chooseLanguage, explain, t } from './i18n.js';
import { takeIssuerReply } from './issuers.js';
import { dropDraftsOf } from './kept-drafts.js';
import { layers } from './layers.js';
import { startNotices } from './notices.js';
import { refuseOtherDrops } from './parts/drop.js';
import { loadDialog } from './parts/open.js';
import { attempt, toast } from './parts/toast.js';
import { privateAnswers } from './private-answers.js';
import { app } from './state.js';
import './views/gate.js';
import { savedMessages } from './views/message-actions.js';
import './views/shell.js';

/** The root: the sign-in or the chat, by the state of the session. */
class MaruApp extends HTMLElement {
    /** True while the session of the last visit is looked for. */
    #isRestoring = false;

    async connectedCallback() {
        chooseLanguage(app.get('language'));
        app.applyTheme();
        matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => app.applyTheme());
        app.on('look', () => this.show(app.client.session.isSignedIn ? 'maru-shell' : 'maru-gate'));
        this.replaceChildren(h('div', { class: 'gate' }, h('div', { class: 'spinner', role: 'status', 'aria-label': t('auth.restoring') })));
        const key = document.querySelector('meta[name="maru-key"]').content;
        app.client = new MaruClient({ base: location.origin, key, keeps: 'cookie', storage: await openStorage({ texts: () => localStorage }) });
        privateAnswers.follow(app.client);
        app.tabs.onmessage = ({ data }) => this.#hear(data);
        addEventListener('online', () => app.client.wake());
        addEventListener('offline', () => app.client.session.isSignedIn && app.client.lost());
        // Not every browser reports at once that the network is gone.
        app.client.outbox.on('unreachable', () => navigator.onLine || app.client.lost());
        document.addEventListener('visibilitychange', () => !document.hidden && app.client.wake());
        addEventListener('hashchange', () => app.read());
        const reply = takeIssuerReply();
        app.read();
        layers.start();
        startNotices();
        startActivity();
        refuseOtherDrops();
        // A sign-in that proves something for a session leaves the session as it is.
        const isProof = Boolean(reply?.goal);
        app.client.session.on('leaving', (where) => {
            if (where === 'here') app.set('signedIn', null);
            if (app.client.session.user) dropDraftsOf(app.client.session.user.user_id);
        });
        // The tabs that hear of a sign-out do not pass it on: they may hear late, and somebody may have signed in since.
        app.client.session.on('noted', (user) => app.tabs.postMessage({ signedOut: user }));
        app.client.session.on('changed', (user) => {
            savedMessages.seqs.clear();
            // `restore` itself continues with the session that it has found.
            if (user) return this.#isRestoring || this.#repeat(() => this.enter());
            if (app.client.session.isReplaced) return location.reload();
            return app.client.session.isSigningOut ? this.#leave() : this.show('maru-gate', { isEnded: true });
        });
        if (reply && !isProof) this.show('maru-gate', { reply });
        else await this.restore({ isProof });
        if (isProof && app.client.session.isSignedIn) await attempt(() => this.#goOn(reply));
    }

    /** Another tab of this browser has changed something, or has signed out. */
    #hear(data) {
        const { session } = app.client;
        if (!session.isSignedIn) return;
        if (data.signedOut === undefined) app.client.changedElsewhere(data);
        else if (data.signedOut === session.user.user_id) session.signedOutElsewhere();
    }

    /** Opens the dialog again that the user left to sign in with an issuer. */
    async #goOn({ goal, ...signIn }) {
        // Another tab may have signed in as somebody else since.
        if (goal.user !== String(app.client.session.user.user_id)) return toast(t('proof.otherUser'), { bad: true });
        if (goal.act === 'delete') return (await loadDialog('account')).deleteAccount({ ...signIn, deletesMessages: goal.deletesMessages });
        return (await loadDialog('factor')).openAgain(goal.act, signIn);
    }

    /** Takes up the session of the last visit; with `isProof` there was one a moment ago. */
    restore({ isProof }) {
        return this.#repeat(async () => {
            const { session } = app.client;
            // A sign-out that the server has not heard of comes before anything else.
            this.#isRestoring = true;
            const user = await (app.get('signedIn') ? session.restore() : session.finishSignOut()).finally(() => (this.#isRestoring = false));
            return user ? this.enter() : this.show('maru-gate', { isEnded: isProof });
        });
    }

    /** Shows nothing until the server knows of the sign-out. The next user of this page begins at their own place. */
    #leave() {
        this.#clear();
        this.replaceChildren();
        app.go({}, { replace: true });
        return this.#repeat(async () => {
            await app.client.session.finishSignOut();
            // Somebody may have signed in at another tab meanwhile.
            if (app.get('signedIn')) location.reload();
            else this.show('maru-gate');
        }, { label: t('auth.leaving'), hint: () => t('auth.leavesLater') });
    }

    /** Without a network it tries again until there is one, or until something else is shown. */
    async #repeat(work, { label = t('auth.restoring'), hint = explain } = {}) {
        const opening = h('div', { class: 'gate' }, h('div', { class: 'spinner', role: 'status', 'aria-label': label }));
        this.replaceChildren(opening);
        for (let wait = 1000; ; wait = Math.min(wait * 2, 15_000)) {
            try {
                return await work();
            } catch (error) {
                if (!opening.isConnected) return undefined;
                if (!error.isTemporary) return this.show('maru-gate');
                opening.replaceChildren(opening.firstElementChild, h('p', { class: 'hint' }, hint(error)));
                await pause(Math.max(wait, error.retryAfter * 1000));
            }
            if (!opening.isConnected) return undefined;
        }
    }

    async enter() {
        app.set('signedIn', '1');
        await app.client.start();
        if (app.client.session.isSignedIn) this.show('maru-shell');
    }

    show(name, props) {
        if (name === 'maru-gate') {
            app.set('signedIn', null);
            this.#clear();
        }
        this.replaceChildren(Object.assign(document.createElement(name), props));
    }

    /** Closes the panel and all dialogs: nothing of the user stays on the screen. */
    #clear() {
        if (app.panel) app.show(null);
        for (const each of document.querySelectorAll('dialog[open]')) each.close();
    }
}

/** Waits, but not longer than the network is away. */
function pause(milliseconds) {
    return new Promise((resolve) => {
        const end = () => {
            clearTimeout(timer);
            removeEventListener('online', end);
            resolve();
        };
        const timer = setTimeout(end, milliseconds);
        addEventListener('online', end);
    });
}

customElements.define('maru-app', MaruApp);
