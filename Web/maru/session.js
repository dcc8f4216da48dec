import { Emitter } from './emitter.js';
import { MaruError } from './errors.js';

/**
 * The session of one user on this device.
 *
 * In a browser the refresh token stays in an HttpOnly cookie (`keeps: 'cookie'`), so no script can read it. The access token
 * stays in memory and lives for minutes. Elsewhere the refresh token is kept in a storage (`keeps: 'storage'`).
 *
 * Emits `changed` with the user, or null after the session ended, and `leaving` when the user signs out: calls from then on would
 * be refused.
 */
export class Session extends Emitter {
    #access = null;
    #renewal = null;

    /**
     * @param {object} options
     * @param {'cookie'|'storage'} options.keeps
     * @param {import('./storage.js').MemoryStorage} [options.storage]
     * @param {LockManager} [options.locks] keeps two tabs from renewing at the same time
     */
    constructor({ keeps = 'cookie', storage, locks = globalThis.navigator?.locks } = {}) {
        super();
        this.keeps = keeps;
        this.storage = storage;
        this.locks = locks;
        this.user = null;
        /** True once the session ended because another tab of the browser signed in as somebody else. */
        this.isReplaced = false;
        /** Set by the client. */
        this.api = null;
    }

    get isSignedIn() {
        return this.user !== null;
    }

    /** Creates an account and signs in. */
    join({ email, password, nickname, phone = '' }) {
        return this.#enter('/users/join', { email, password, nickname, phone });
    }

    /** Rejects with a `ticket` in the error's body if the account has a second factor: see `finishSignIn`. */
    signIn({ email, password }) {
        return this.#enter('/users/login', { email, password });
    }

    /**
     * The second step of a sign-in.
     * @param {{ticket: string, code: string, remember: boolean}} step `remember` asks for no code on this device again
     */
    finishSignIn({ ticket, code, remember }) {
        return this.#enter('/users/login/second-factor', { ticket, code, remember });
    }

    /** The issuers of OpenID Connect to choose from, each with a name and a title. */
    async issuers() {
        return (await this.api.get('/auth/oidc', null, { open: true })).issuers;
    }

    /**
     * Begins a sign-in with an issuer. Keep the ticket, open the `url`, and end with `finishAtIssuer` where the user comes back.
     * @param {string} redirect an address of this client that is registered at the issuer
     * @returns {Promise<{url: string, ticket: string, expiresAt: string}>}
     */
    beginAtIssuer(name, redirect) {
        return this.api.call('POST', `/auth/oidc/${encodeURIComponent(name)}`, { open: true, body: { redirect } });
    }

    /** Ends it with the ticket and the parameters of the address that the issuer sent the user to. Rejects as `signIn` does. */
    finishAtIssuer({ ticket, state, code, iss }) {
        return this.#enter('/users/login/oidc', { ticket, state, code, iss });
    }

    /** Signs in with the session of an earlier visit. Returns the user, or null if there is none. */
    async restore() {
        try {
            await this.renew(null);
        } catch (error) {
            if (error.isTemporary) throw error;
            return null;
        }
        this.user = await this.api.get('/users/me');
        this.emit('changed', this.user);
        return this.user;
    }

    async signOut() {
        this.emit('leaving');
        this.api.endReads();
        try {
            await this.api.get('/users/logout', this.#query);
        } finally {
            await this.#forget();
        }
    }

    /** Returns the access token; renews it if there is none. */
    async token() {
        if (!this.#access) await this.renew(null);
        return this.#access;
    }

    /**
     * Renews the access token. Calls at the same time share one renewal, and a token that was replaced meanwhile is not renewed
     * again.
     * @param {string|null} used the token that the server refused
     */
    renew(used) {
        if (this.#access && used !== this.#access) return Promise.resolve();
        this.#renewal ??= this.#locked(() => this.#renew()).finally(() => (this.#renewal = null));
        return this.#renewal;
    }

    /** Renews the token that is held, as after a connection was refused with it or the session is said to have ended. */
    renewHeld() {
        return this.renew(this.#access);
    }

    async #renew() {
        const kept = this.keeps === 'storage' ? await this.storage.get('refresh') : null;
        if (this.keeps === 'storage' && !kept) throw new MaruError('E06', { status: 401 });
        try {
            const headers = kept ? { RefreshToken: kept } : {};
            const reply = await this.api.call('GET', '/auth/refresh', { open: true, query: this.#query, headers });
            // All tabs of a browser share the cookie, and another one may have signed in as somebody else since.
            const user = userOf(reply.accessToken);
            if (this.user && user && user !== String(this.user.user_id)) {
                this.isReplaced = true;
                throw new MaruError('E06', { status: 401 });
            }
            await this.#hold(reply);
        } catch (error) {
            if (!error.isTemporary) await this.#forget();
            throw error;
        }
    }

    async #enter(path, body) {
        const user = await this.api.call('POST', path, { open: true, query: this.#query, body });
        await this.#hold(user.token);
        this.isReplaced = false;
        const { token, ...rest } = user;
        this.user = rest;
        this.emit('changed', this.user);
        return this.user;
    }

    async #hold({ accessToken, refreshToken }) {
        this.#access = accessToken;
        if (this.keeps === 'storage' && refreshToken) await this.storage.set('refresh', refreshToken);
    }

    async #forget() {
        this.#access = null;
        if (this.keeps === 'storage') await this.storage.remove('refresh');
        if (!this.user) return;
        this.user = null;
        this.emit('changed', null);
    }

    get #query() {
        return this.keeps === 'cookie' ? { refresh: 'cookie' } : {};
    }

    #locked(work) {
        return this.locks ? this.locks.request('maru-refresh', work) : work();
    }
}

/** The user that an access token is for; null if it does not say so. */
function userOf(token) {
    try {
        return JSON.parse(atob(token.split('.')[1].replaceAll('-', '+').replaceAll('_', '/'))).sub ?? null;
    } catch {
        return null;
    }
}
