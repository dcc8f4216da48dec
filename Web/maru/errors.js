/** A failure of a call: the server's error code, or E00 if no reply arrived. */
export class MaruError extends Error {
    constructor(code, { status = 0, detail = '', retryAfter = 0, body = null } = {}) {
        super(detail || code);
        this.name = 'MaruError';
        this.code = code;
        /** The HTTP status; 0 if no reply arrived. */
        this.status = status;
        this.detail = detail;
        /** Seconds that the server asks the caller to wait. */
        this.retryAfter = retryAfter;
        /** The whole reply, for codes with more members. */
        this.body = body;
        /** True if the call was given up, because its connection was silent for too long. */
        this.isLate = false;
    }

    /** No reply arrived in time. */
    static late() {
        return Object.assign(new MaruError('E00', { detail: 'The server did not answer in time.' }), { isLate: true });
    }

    static offline(cause) {
        return new MaruError('E00', { detail: cause?.message ?? 'The server cannot be reached.' });
    }

    /** True if the server was not reached. The call may still have happened. */
    get isOffline() {
        return this.code === 'E00';
    }

    /** True if the same call can succeed later. */
    get isTemporary() {
        return this.isOffline || this.code === 'E98' || this.code === 'E99' || this.status >= 500;
    }
}
