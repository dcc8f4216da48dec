import { h } from '../app/dom.js';
import { addTexts, chooseLanguage } from '../app/i18n.js';
import { app } from '../app/state.js';
import { operator } from './operator.js';
import './gate.js';
import './shell.js';
import en from './strings.en.js';
import ko from './strings.ko.js';

addTexts({ en, ko });

/** The root: the sign-in or the pages, by whether this tab has a credential. */
class MaruConsole extends HTMLElement {
    connectedCallback() {
        chooseLanguage(app.get('language'));
        app.applyTheme();
        matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => app.applyTheme());
        operator.on('changed', () => this.show());
        operator.on('look', () => this.show());
        this.show();
    }

    show() {
        this.replaceChildren(h(operator.isSignedIn ? 'console-shell' : 'console-gate'));
    }
}

customElements.define('maru-console', MaruConsole);
