import { Emitter } from './emitter.js';
import { MaruError } from './errors.js';
import { MemoryStorage } from './storage.js';

/** The key of the user to sign out at the server, in the storage. */
const SIGNED_OUT = 'signed-out';

/**
 * The session of one user on this device.
 *
 * In a browser the refresh token stays in an HttpOnly cookie (`keeps: 'cookie'`), so no script can read it. The access token
 * stays in memory and lives for minutes. Elsewhere the refresh token is kept in a storage (`keeps: 'storage'`).
 *
 * Emits `changed` with the user, or null after the session ended, and `leaving` when the user signs out, with `here` or `elsewhere`
 * for another tab of the browser: calls from then on are refused. `noted` follows a sign-out here, with the user's id, once other
 * tabs can read of it.
 */
export class Session extends Emitter {
    #access = null;
    #renewal = null;
    /** The session that the user has signed out of here: `{user, token, isNoted}`. */
    #signedOut = null;
    #finishing = null;

    /**
     * @param {object} options
     * @param {'cookie'|'storage'} options.keeps
     * @param {import('./storage.js').MemoryStorage} [options.storage]
     * @param {LockManager} [options.locks] keeps two tabs from renewing at the same time
     */
    constructor({ keeps = 'cookie', storage = new MemoryStorage(), locks = globalThis.navigator?.locks } = {}) {
        super();
        this.keeps = keeps;
        this.storage = storage;
        this.locks = locks;
        this.user = null;
        /** True once the session ended because another tab of the browser signed in as somebody else. */
        this.isReplaced = false;
        /** True from a sign-out until the server has heard of it. */
        this.isSigningOut = false;
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
     * Begins a sign-in with an issuer. Keep the ticket, open the `url`, and end with `finishAtIssuer` where the user comes back. A route
     * that asks for a proof, such as `routes.deleteAccount`, takes the ticket and the reply instead, and the session stays. Add
     * `&max_age=0` to the `url` then: an issuer that knows the user would not ask for them otherwise, and its reply proves nothing.
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
        await this.finishSignOut();
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

    /**
     * Signs out. The session is forgotten here at once. If the server does not hear of it, this rejects with a temporary error, and
     * `finishSignOut` tries again, after a reload too.
     */
    async signOut() {
        if (this.user) {
            const id = this.user.user_id;
            const user = String(id);
            // It is stored before the call: a page may be closed at any moment.
            const isNoted = this.storage.set(SIGNED_OUT, user).then(() => true, () => false);
            isNoted.then(() => this.emit('noted', id));
            this.#signedOut = { user, token: this.#access, isNoted };
            await this.#leave('here');
        }
        await this.finishSignOut();
    }

    /** Forgets the session here, because another tab of the browser signs out. */
    signedOutElsewhere() {
        return this.#leave('elsewhere');
    }

    /**
     * Reports a sign-out to the server that it has not heard of: one here, at an earlier visit or in another tab. Does nothing if there
     * is none. Rejects with a temporary error while the server cannot be reached.
     */
    finishSignOut() {
        this.#finishing ??= this.#locked(() => this.#finish()).finally(() => (this.#finishing = null));
        return this.#finishing;
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
        if (this.isSigningOut) return Promise.reject(new MaruError('E06', { status: 401 }));
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
            const reply = await this.#refresh(kept);
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

    #refresh(kept) {
        const headers = kept ? { RefreshToken: kept } : {};
        return this.api.call('GET', '/auth/refresh', { open: true, query: this.#query, headers });
    }

    #leave(where) {
        this.isSigningOut = true;
        this.emit('leaving', where);
        this.api.endReads();
        return this.#forget();
    }

    async #finish() {
        const user = await this.#userToSignOut();
        if (user !== null) {
            try {
                await this.#logOut(user);
            } catch (error) {
                if (!(error instanceof MaruError) || error.isTemporary) throw error;
                // It has ended already.
            }
            await this.storage.remove(SIGNED_OUT).catch(() => {});
            if (this.keeps === 'storage') await this.storage.remove('refresh');
        }
        this.#signedOut = null;
        this.isSigningOut = false;
    }

    /** The user to sign out at the server; null if there is none, or if another tab has done so. */
    async #userToSignOut() {
        const isNoted = await this.#signedOut?.isNoted;
        const noted = await this.storage.get(SIGNED_OUT).catch(() => undefined);
        return noted ?? (isNoted === false ? this.#signedOut.user : null);
    }

    async #logOut(user) {
        const end = (token) => this.api.call('GET', '/users/logout', { open: true, query: this.#query, headers: { Authorization: token } });
        try {
            if (this.#signedOut?.token) return await end(this.#signedOut.token);
        } catch (error) {
            // A token that has expired is refused, too.
            if (!(error instanceof MaruError) || error.isTemporary) throw error;
        }
        const kept = this.keeps === 'storage' ? await this.storage.get('refresh') : null;
        if (this.keeps === 'storage' && !kept) return undefined;
        const { accessToken, refreshToken } = await this.#refresh(kept);
        if (kept && refreshToken) await this.storage.set('refresh', refreshToken);
        // Somebody else may have signed in with this browser since.
        return (userOf(accessToken) ?? user) === user ? end(accessToken) : undefined;
    }

    async #enter(path, body) {
        // The session of the sign-in takes the place of an earlier one, which could not be ended any more.
        await this.finishSignOut();
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
        // The sign-out may need it.
        if (this.keeps === 'storage' && !this.isSigningOut) await this.storage.remove('refresh');
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
