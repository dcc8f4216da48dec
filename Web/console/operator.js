import { explain, t } from '../app/i18n.js';
import { Emitter } from '../maru/emitter.js';

const KEY = 'maru.operator';
const API = '/console/api';

/** How long a look waits for a service; an act or a file waits as long as the gateway does. */
const LONGEST_LOOK = 8000;
const LONGEST_ACT = 95_000;

/** A refusal of an operator's route. */
export class CallError extends Error {
    constructor(status, body) {
        super(body?.detail ?? `HTTP ${status}`);
        this.status = status;
        this.code = body?.errorCode ?? (status === 401 ? 'E05' : 'E00');
        this.detail = body?.detail;
    }

    /** Whether no service answered. An act may have happened all the same: the log shows it. */
    get isSilence() {
        return [0, 502, 504].includes(this.status);
    }

    /** The failure in words; the services' detail says more than the code. */
    get text() {
        return this.detail ?? explain(this);
    }
}

/**
 * The operator at this tab: the credential, which only `sessionStorage` holds, and the calls that it opens. Emits `changed`, with
 * `isRefused` if the services no longer take the credential, and `look`.
 */
class Operator extends Emitter {
    /** Whether the last credential was refused. */
    isRefused = false;

    get #held() {
        return JSON.parse(sessionStorage.getItem(KEY) ?? 'null');
    }

    get isSignedIn() {
        return this.#held !== null;
    }

    get name() {
        return this.#held?.name;
    }

    /** Whether the operator may change anything; a viewer looks only. */
    get mayAct() {
        return this.#held?.role !== 'viewer';
    }

    /** Keeps the credential if the services take it. Their reply has the name if the credential is the operator's own. */
    async signIn(name, credential) {
        this.isRefused = false;
        const me = await send('GET', '/me', { name, credential });
        sessionStorage.setItem(KEY, JSON.stringify({ ...me, credential }));
        this.emit('changed');
    }

    signOut() {
        sessionStorage.removeItem(KEY);
        this.emit('changed');
    }

    /** The instances as `{service, place, address}`. */
    instances() {
        return this.#call('GET', '/instances');
    }

    /** Calls an operators' route of a service, on any instance. */
    async call(method, service, path, options) {
        try {
            return await this.#call(method, `/services/${service}${path}`, options);
        } catch (error) {
            if (error.isSilence) error.detail = t('console.silent', { service });
            throw error;
        }
    }

    get(service, path) {
        return this.call('GET', service, path);
    }

    /** Reads a file as a blob. */
    file(service, path) {
        return this.call('GET', service, path, { isFile: true });
    }

    /** Reads a page of one instance; null if no process listens there. */
    ask({ service, place }, path) {
        return this.#call('GET', `/instances/${service}/${place}${path}`);
    }

    async #call(method, path, options) {
        const held = this.#held;
        try {
            return await send(method, path, held ?? {}, options);
        } catch (error) {
            if (error.status === 401 && held) {
                this.isRefused = true;
                this.signOut();
            }
            throw error;
        }
    }
}

async function send(method, path, { name, credential }, { isFile = false } = {}) {
    let reply;
    try {
        reply = await fetch(API + path, {
            method, cache: 'no-store', credentials: 'omit', signal: AbortSignal.timeout(method === 'GET' && !isFile ? LONGEST_LOOK : LONGEST_ACT),
            headers: { Authorization: `Bearer ${credential}`, 'X-Operator': name },
        });
    } catch {
        throw new CallError(0);
    }
    if (reply.status === 204) return null;
    if (reply.ok && isFile) return reply.blob();
    const text = await reply.text();
    const isJSON = /json/.test(reply.headers.get('Content-Type') ?? '');
    if (!reply.ok) throw new CallError(reply.status, isJSON ? JSON.parse(text) : null);
    return isJSON ? JSON.parse(text) : text;
}

export const operator = new Operator();
