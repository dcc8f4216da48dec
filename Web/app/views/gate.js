import { h, icon, set, View } from '../dom.js';
import { explain, t } from '../i18n.js';
import { goToIssuer, issuerButtons } from '../issuers.js';
import { tellInvalid } from '../parts/dialog.js';
import { app } from '../state.js';

/**
 * Signing in, joining and resetting a password. The property `isEnded` is true if a session has ended, and `reply` is that of an
 * issuer who has sent the user back here.
 */
class Gate extends View {
    #mode = 'signIn';
    #email = '';
    #codeSent = false;
    #ticket = null;
    #lead = h('p', { class: 'lead' });
    #fault = h('p', { class: 'fault', role: 'alert' });
    #issuers = issuerButtons('auth.with', (issuer) => this.#goTo(issuer));

    isEnded = false;
    reply = null;

    setup() {
        // The link of an invitation may be opened while the form is shown, and a text may be in a field.
        this.listen(app, 'route', () => this.#showLead());
        if (this.isEnded) this.#fault.textContent = t('auth.ended');
        if (this.reply) this.#finishAtIssuer(this.reply);
    }

    render() {
        if (this.reply) {
            return this.replaceChildren(h('main', { class: 'gate' }, h('div', { class: 'spinner', role: 'status', 'aria-label': t('auth.signingIn') })));
        }
        const submit = h('button', { type: 'submit', class: 'button primary' }, t(this.#button));
        this.#showLead();
        this.replaceChildren(h('main', { class: 'gate' }, h('section', { class: 'gate-card', 'aria-labelledby': 'gate-title' },
            h('header', null,
                h('img', { src: new URL('../icon.svg', import.meta.url).href, alt: '' }),
                h('h1', { id: 'gate-title' }, t(`auth.title.${this.#mode}`)),
                this.#lead),
            h('form', { novalidate: true, onsubmit: (event) => this.#submit(event, submit) }, this.#fields, this.#fault, submit),
            ['signIn', 'join'].includes(this.#mode) && this.#issuers,
            h('footer', null, this.#others.map(([mode, label]) =>
                h('button', { type: 'button', class: 'link-button', onclick: () => this.#change(mode) }, t(label)))))));
        const next = this.#codeSent ? '[name="code"]' : this.#email && this.#mode === 'signIn' ? '[name="password"]' : '';
        this.querySelector(`input${next}`).focus();
    }

    #showLead() {
        this.#lead.textContent = t(this.#mode === 'factor' ? 'auth.factorLead' : this.#codeSent ? 'auth.codeSent' : app.invitation ? 'auth.invited' : 'auth.lead');
    }

    get #button() {
        return { factor: 'auth.signIn', signIn: 'auth.signIn', join: 'auth.join', reset: this.#codeSent ? 'auth.finishReset' : 'auth.sendCode' }[this.#mode];
    }

    get #others() {
        return this.#mode === 'signIn'
            ? [['join', 'auth.toJoin'], ['reset', 'auth.forgot']]
            : [['signIn', 'auth.toSignIn']];
    }

    get #fields() {
        const input = (name, label, props, hint) => h('label', { class: 'field' }, h('span', null, t(label)),
            h('input', { class: 'input', name, required: true, ...props }), hint && h('small', null, t(hint)));
        if (this.#mode === 'factor') {
            return [input('code', 'auth.appCode', { autocomplete: 'one-time-code', maxlength: '64' }, 'auth.appCodeHint'),
                h('label', { class: 'check' }, h('input', { type: 'checkbox', name: 'remember' }), h('span', null, t('auth.remember')))];
        }
        const fields = [input('email', 'auth.email', { type: 'email', autocomplete: 'username', value: this.#email, inputmode: 'email' })];
        if (this.#mode === 'join') fields.push(input('nickname', 'auth.nickname', { autocomplete: 'nickname', maxlength: '30' }));
        if (this.#codeSent) fields.push(input('code', 'auth.code', { inputmode: 'numeric', autocomplete: 'one-time-code', maxlength: '6' }));
        if (this.#mode !== 'reset' || this.#codeSent) fields.push(this.#password());
        return fields;
    }

    #password() {
        const isNew = this.#mode !== 'signIn';
        const input = h('input', { class: 'input', name: 'password', type: 'password', required: true, id: 'password', autocomplete: isNew ? 'new-password' : 'current-password', 'aria-describedby': isNew ? 'password-hint' : undefined });
        const eye = h('button', {
            type: 'button', class: 'icon-button', 'aria-label': t('auth.show'), 'aria-pressed': false,
            onclick: () => {
                const shown = input.type === 'text';
                input.type = shown ? 'password' : 'text';
                set(eye, { 'aria-pressed': !shown, 'aria-label': t(shown ? 'auth.show' : 'auth.hide') });
            },
        }, icon('eye', 18));
        return h('div', { class: 'field' }, h('label', { for: 'password' }, h('b', null, t(this.#mode === 'reset' ? 'auth.newPassword' : 'auth.password'))),
            h('div', { class: 'with-button' }, input, eye), isNew && h('small', { id: 'password-hint' }, t('auth.passwordHint')));
    }

    async #goTo(issuer) {
        this.#fault.textContent = '';
        try {
            await goToIssuer(issuer);
        } catch (error) {
            this.#fault.textContent = explain(error);
        }
    }

    async #finishAtIssuer({ title, ...reply }) {
        try {
            // An issuer that refuses sends no code.
            if (!reply.code) throw Object.assign(new Error(), { code: 'E03' });
            await this.#firstStep(app.client.session.finishAtIssuer(reply));
            // The chat replaces this view.
            if (this.#mode !== 'factor') return;
        } catch (error) {
            const name = title ?? t('auth.anIssuer');
            this.#fault.textContent = ['E02', 'E03', 'E11'].includes(error.code) ? t('auth.issuerFailed', { title: name })
                : error.code === 'E12' ? t('auth.issuerTaken', { title: name }) : explain(error);
        }
        this.reply = null;
        this.render();
    }

    #change(mode, fault = '') {
        this.#email = this.querySelector('[name="email"]')?.value ?? this.#email;
        this.#mode = mode;
        this.#codeSent = false;
        this.#fault.textContent = fault;
        this.render();
    }

    async #submit(event, button) {
        event.preventDefault();
        if (tellInvalid(event.target, this.#fault)) return;
        const values = Object.fromEntries(new FormData(event.target));
        this.#email = values.email?.trim() ?? this.#email;
        button.disabled = true;
        try {
            await this.#act({ ...values, email: this.#email });
        } catch (error) {
            button.disabled = false;
            // A button that is disabled loses the focus.
            if (button.isConnected && document.activeElement === document.body) button.focus();
            this.#failed(error);
        }
    }

    #failed(error) {
        if (this.#mode === 'factor') {
            // The ticket has ended, or had too many tries.
            if (error.code === 'E02') return this.#change('signIn', t('auth.ticketEnded'));
            this.querySelector('[name="code"]').select();
        }
        const isCode = error.code === 'E11' && (this.#mode === 'factor' || this.#codeSent);
        this.#fault.textContent = isCode ? t(this.#mode === 'factor' ? 'error.wrongCode' : 'auth.resetFailed')
            : this.#mode === 'join' && error.code === 'E11' ? `${explain(error)} ${t('auth.passwordHint')}`
                : this.#mode === 'join' && error.code === 'E12' ? t('auth.taken') : explain(error);
    }

    /** An account with a second factor asks for a code next. */
    async #firstStep(signIn) {
        try {
            await signIn;
        } catch (error) {
            if (!error.body?.ticket) throw error;
            this.#ticket = error.body.ticket;
            this.#mode = 'factor';
            if (!this.reply) this.render();
        }
    }

    async #act({ email, password, nickname, code, remember }) {
        const { session, routes } = app.client;
        if (this.#mode === 'factor') return session.finishSignIn({ ticket: this.#ticket, code: code.trim(), remember: !!remember });
        if (this.#mode === 'signIn') return this.#firstStep(session.signIn({ email, password }));
        if (this.#mode === 'join') return session.join({ email, password, nickname });
        if (this.#codeSent) {
            await routes.finishReset(email, code, password);
            this.#codeSent = false;
            this.#mode = 'signIn';
            return this.#firstStep(session.signIn({ email, password }));
        }
        await routes.resetPassword(email);
        this.#codeSent = true;
        this.render();
    }
}

customElements.define('maru-gate', Gate);
