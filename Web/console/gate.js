import { h } from '../app/dom.js';
import { t } from '../app/i18n.js';
import { field, form } from '../app/parts/dialog.js';
import { operator } from './operator.js';

/** The sign-in: the operators' credential, and a name for the log. */
class ConsoleGate extends HTMLElement {
    connectedCallback() {
        const parts = form([
            field(t('console.name'), {
                name: 'name', required: true, pattern: '[A-Za-z0-9.@_\\-]{1,64}', autocomplete: 'username', spellcheck: 'false', value: operator.name ?? '',
            }, { hint: t('console.nameHint') }),
            field(t('console.credential'), { name: 'credential', type: 'password', required: true, autocomplete: 'off' }, { hint: t('console.credentialHint') }),
        ], {
            label: t('console.signIn'),
            submit: async ({ name, credential }) => {
                try {
                    await operator.signIn(name.trim(), credential.trim());
                } catch (error) {
                    throw error.status === 401 ? Object.assign(error, { detail: t('console.refused') }) : error;
                }
            },
        });
        if (operator.isRefused) parts.querySelector('.fault').textContent = t('console.ended');
        this.replaceChildren(h('main', { class: 'gate' }, h('div', { class: 'gate-card' },
            h('header', null, h('h1', null, t('console.title')), h('p', { class: 'lead' }, t('console.lead'))), parts)));
        parts.elements.name.focus();
    }
}

customElements.define('console-gate', ConsoleGate);
