import { h } from '../dom.js';
import { t } from '../i18n.js';
import { goToIssuer, issuerButtons } from '../issuers.js';
import { field } from '../parts/dialog.js';
import { attempt } from '../parts/toast.js';
import { app } from '../state.js';

export const passwordField = () => field(t('settings.passwordNow'), { name: 'password', type: 'password', required: true, autocomplete: 'current-password' });

/**
 * The part of a form that asks the owner of the account for a proof: the password, or a new sign-in with an issuer. It offers both: an
 * account that an issuer has opened has no password, and the server does not reveal whether an account has one.
 */
export class Proof {
    #act;
    #signIn;
    #more;
    element = h('div', { class: 'proof' });
    /** A failure at the issuer in words. */
    fault = '';

    /**
     * @param {string} act names the dialog, which opens again when the user comes back from the issuer
     * @param {object} [signIn] the reply of the issuer, if the user comes back from there
     * @param {() => object} [more] the choices in the form that last until then
     */
    constructor(act, signIn = null, more = () => ({})) {
        this.#act = act;
        this.#more = more;
        // An issuer that refuses sends no code.
        if (signIn?.code) {
            this.#signIn = signIn;
            this.element.append(h('p', { class: 'hint', role: 'status' }, t('proof.done', { title: signIn.title })));
        } else {
            if (signIn) this.fault = t('auth.issuerFailed', { title: signIn.title });
            this.#ask();
        }
    }

    /** Calls the server with the proof. A sign-in with an issuer counts once, whatever the server answers. */
    async use({ password }, call) {
        if (!this.#signIn) return call({ password });
        const { ticket, state, code, iss, title } = this.#signIn;
        this.#signIn = null;
        try {
            return await call({ ticket, state, authorizationCode: code, iss });
        } catch (error) {
            this.#ask(h('p', { class: 'hint' }, t('proof.used')));
            if (error.code === 'E03') error.text = t('proof.refused', { title });
            throw error;
        }
    }

    #ask(...hint) {
        const goal = () => ({ act: this.#act, user: String(app.client.session.user.user_id), ...this.#more() });
        this.element.replaceChildren(...hint, passwordField(), issuerButtons('proof.again', (issuer) => attempt(() => goToIssuer(issuer, goal()))));
    }
}
