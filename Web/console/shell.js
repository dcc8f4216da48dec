import { h, iconButton } from '../app/dom.js';
import { chooseLanguage, currentLanguage, t } from '../app/i18n.js';
import { app } from '../app/state.js';
import { operator } from './operator.js';
import './pages/log.js';
import './pages/message.js';
import './pages/overview.js';
import './pages/purchases.js';
import './pages/queues.js';
import './pages/reports.js';
import './pages/sockets.js';
import './pages/users.js';
import './pages/workspaces.js';

const PAGES = ['overview', 'sockets', 'message', 'queues', 'reports', 'purchases', 'users', 'workspaces', 'log'];

/** The pages with their navigation. The address `#/users/5` names the page and the thing on it. */
class ConsoleShell extends HTMLElement {
    #ends = new AbortController();

    connectedCallback() {
        this.links = PAGES.map((page) => h('a', { href: `#/${page}`, data: { page } }, t(`page.${page}`)));
        this.main = h('main', { id: 'page', tabindex: '-1' });
        this.replaceChildren(
            h('a', { class: 'skip', href: '#page', onclick: (event) => (event.preventDefault(), this.main.focus()) }, t('console.skip')),
            h('header', { class: 'console-head' },
                h('strong', null, t('console.title')),
                h('nav', { 'aria-label': t('console.pages') }, this.links),
                h('span', { class: 'who' }, operator.mayAct ? operator.name : t('console.viewer', { name: operator.name })),
                h('button', { type: 'button', class: 'button small', lang: currentLanguage() === 'ko' ? 'en' : 'ko', onclick: switchLanguage }, currentLanguage() === 'ko' ? 'English' : '한국어'),
                iconButton('sun', t('console.theme'), switchTheme),
                iconButton('exit', t('console.signOut'), () => operator.signOut())),
            this.main);
        addEventListener('hashchange', () => this.read(), { signal: this.#ends.signal });
        this.read();
    }

    disconnectedCallback() {
        this.#ends.abort();
    }

    read() {
        const [, name, ...rest] = location.hash.split('/');
        const page = PAGES.includes(name) ? name : 'overview';
        for (const link of this.links) {
            if (link.dataset.page === page) link.setAttribute('aria-current', 'page');
            else link.removeAttribute('aria-current');
        }
        document.title = `${t(`page.${page}`)} · ${t('console.title')}`;
        const element = Object.assign(document.createElement(`console-${page}`), { path: rest.map(decodeURIComponent) });
        this.main.replaceChildren(h('h1', null, t(`page.${page}`)), element);
    }
}

function switchLanguage() {
    app.set('language', currentLanguage() === 'ko' ? 'en' : 'ko');
    chooseLanguage(app.get('language'));
    operator.emit('look');
}

function switchTheme() {
    app.set('theme', document.documentElement.dataset.shade === 'dark' ? 'light' : 'dark');
    app.applyTheme();
}

customElements.define('console-shell', ConsoleShell);
