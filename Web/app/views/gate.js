import { h, icon, set, View } from '../dom.js';
import { explain, t } from '../i18n.js';
import { app } from '../state.js';

/** Signing in, joining and resetting a password. */
class Gate extends View {
    #mode = 'signIn';
    #email = '';
    #codeSent = false;
    #ticket = null;

    render() {
        const isEnded = this.hasAttribute('data-ended') && this.#mode === 'signIn';
        const fault = h('p', { class: 'fault', role: 'alert' }, isEnded ? t('auth.ended') : '');
        const submit = h('button', { type: 'submit', class: 'button primary' }, t(this.#button));
        this.replaceChildren(h('main', { class: 'gate' }, h('section', { class: 'gate-card', 'aria-labelledby': 'gate-title' },
            h('header', null,
                h('img', { src: new URL('../icon.svg', import.meta.url).href, alt: '' }),
                h('h1', { id: 'gate-title' }, t(`auth.title.${this.#mode}`)),
                h('p', { class: 'lead' }, this.#codeSent ? t('auth.codeSent') : t('auth.lead'))),
            h('form', { novalidate: true, onsubmit: (event) => this.#submit(event, submit, fault) }, this.#fields, fault, submit),
            h('footer', null, this.#others.map(([mode, label]) =>
                h('button', { type: 'button', class: 'link-button', onclick: () => this.#change(mode) }, t(label)))))));
        this.querySelector(`input${this.#email && this.#mode === 'signIn' ? '[name="password"]' : ''}`).focus();
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
            return [input('code', 'auth.appCode', { inputmode: 'numeric', autocomplete: 'one-time-code', maxlength: '64' }, 'auth.appCodeHint'),
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

    #change(mode) {
        this.#email = this.querySelector('[name="email"]')?.value ?? this.#email;
        this.#mode = mode;
        this.#codeSent = false;
        this.removeAttribute('data-ended');
        this.render();
    }

    async #submit(event, button, fault) {
        event.preventDefault();
        fault.textContent = '';
        const invalid = event.target.querySelector(':invalid');
        if (invalid) {
            fault.textContent = invalid.validationMessage;
            return invalid.focus();
        }
        const values = Object.fromEntries(new FormData(event.target));
        this.#email = values.email?.trim() ?? this.#email;
        button.disabled = true;
        try {
            await this.#act({ ...values, email: this.#email });
        } catch (error) {
            fault.textContent = this.#mode === 'join' && error.code === 'E11' ? `${explain(error)} ${t('auth.passwordHint')}` : explain(error);
            button.disabled = false;
        }
    }

    /** An account with a second factor asks for a code next. */
    async #signIn(email, password) {
        try {
            await app.client.session.signIn({ email, password });
        } catch (error) {
            if (!error.body?.ticket) throw error;
            this.#ticket = error.body.ticket;
            this.#mode = 'factor';
            this.render();
        }
    }

    async #act({ email, password, nickname, code, remember }) {
        if (this.#mode === 'factor') return app.client.session.finishSignIn({ ticket: this.#ticket, code: code.trim(), remember: !!remember });
        if (this.#mode === 'signIn') return this.#signIn(email, password);
        if (this.#mode === 'join') return app.client.session.join({ email, password, nickname });
        if (this.#codeSent) {
            await app.client.routes.finishReset(email, code, password);
            return this.#signIn(email, password);
        }
        await app.client.routes.resetPassword(email);
        this.#codeSent = true;
        this.render();
    }
}

customElements.define('maru-gate', Gate);
