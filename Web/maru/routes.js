import { roomPath } from './rooms.js';

const form = (fields) => {
    const data = new FormData();
    for (const [name, value] of Object.entries(fields)) {
        if (value === undefined || value === null) continue;
        if (value instanceof Blob) data.append(name, value, value.name ?? name);
        else data.append(name, value);
    }
    return data;
};

/** The members of a proof by the owner of the account; a text is the password. */
const proven = (proof) => (typeof proof === 'string' ? { password: proof } : proof);

/** The routes of the native API, one method each. A `room` is a room of the store. */
export class Routes {
    constructor(api) {
        this.api = api;
    }

    // Account

    me = () => this.api.get('/users/me');
    user = (id) => this.api.get(`/users/${id}`);
    updateMe = ({ nickname, phone }) => this.api.put('/users/me', { nickname, phone: phone ?? '' });
    updateMyImage = (image) => this.api.put('/users/me/image', form({ image }));
    emailIsFree = (email) => this.api.call('POST', '/users/validation/email', { open: true, body: { email } });
    sessions = () => this.api.get('/users/me/sessions');
    endSession = (id) => this.api.delete(`/users/me/sessions/${id}`);
    endSessions = () => this.api.delete('/users/me/sessions');
    settings = () => this.api.get('/users/me/settings');
    updateSettings = (settings) => this.api.put('/users/me/settings', settings);
    resetPassword = (email) => this.api.call('POST', '/users/password/reset', { open: true, body: { email } });
    finishReset = (email, code, password) =>
        this.api.call('PUT', '/users/password/reset', { open: true, body: { email, code, password } });
    updatePassword = (password, newPassword) => this.api.put('/users/me/password', { password, newPassword });
    /**
     * @param {string|object} proof the password, or `{password}`, or `{ticket, state, authorizationCode, iss?}` of a new sign-in with a
     *     linked issuer, begun by `session.beginAtIssuer`; it works once
     * @param {'keep'|'delete'} messages what becomes of the messages of the account
     */
    deleteAccount = (proof, messages = 'keep') => this.api.delete('/users/me', { ...proven(proof), messages });
    block = (user) => this.api.put(`/users/${user}/block`);
    unblock = (user) => this.api.delete(`/users/${user}/block`);
    blocks = () => this.api.get('/users/me/blocks');
    report = (report) => this.api.post('/reports', report);
    reports = (id, state, cursor) => this.api.get(`/workspaces/${id}/reports`, { state, cursor });
    answerReport = (id, report, action) => this.api.put(`/workspaces/${id}/reports/${report}`, { action });
    askForEmailCode = (email) => this.api.post('/users/email/verification', { email });
    updateEmail = (password, email, code) => this.api.put('/users/me/email', { password, email, code });
    startExport = () => this.api.post('/users/me/export');
    export = () => this.api.get('/users/me/export');
    limits = () => this.api.get('/users/me/limits');
    secondFactor = () => this.api.get('/users/me/second-factor');
    /** The proof is one as for `deleteAccount`. */
    beginSecondFactor = (proof) => this.api.post('/users/me/second-factor', proven(proof));
    enableSecondFactor = (code) => this.api.put('/users/me/second-factor', { code });
    disableSecondFactor = (code, proof) => this.api.delete('/users/me/second-factor', { code, ...proven(proof) });
    renewRecoveryCodes = (code) => this.api.post('/users/me/second-factor/recovery-codes', { code });

    // Workspaces and members

    workspaces = () => this.api.get('/workspaces');
    workspace = (id) => this.api.get(`/workspaces/${id}`);
    createWorkspace = ({ name, description, image }) => this.api.post('/workspaces', form({ name, description, image }));
    updateWorkspace = (id, { name, description, image }) => this.api.put(`/workspaces/${id}`, form({ name, description, image }));
    deleteWorkspace = (id) => this.api.delete(`/workspaces/${id}`);
    leaveWorkspace = (id) => this.api.get(`/workspaces/${id}/exit`);
    handOverWorkspace = (id, owner_id) => this.api.put(`/workspaces/${id}/transfer/ownership`, { owner_id });
    members = (id) => this.api.get(`/workspaces/${id}/members`);
    invite = (id, email) => this.api.post(`/workspaces/${id}/members`, { email });
    removeMember = (id, user) => this.api.delete(`/workspaces/${id}/members/${user}`);

    role = (id) => this.api.get(`/workspaces/${id}/role`);
    roles = (id, cursor) => this.api.get(`/workspaces/${id}/roles`, { cursor });
    setRole = (id, user, role) => this.api.put(`/workspaces/${id}/members/${user}/role`, { role });
    invitations = (id, cursor) => this.api.get(`/workspaces/${id}/invitations`, { cursor });
    createInvitation = (id, terms) => this.api.post(`/workspaces/${id}/invitations`, terms);
    revokeInvitation = (id, invitation) => this.api.delete(`/workspaces/${id}/invitations/${invitation}`);
    previewInvitation = (token) => this.api.post('/workspaces/invitations/preview', { token });
    acceptInvitation = (token) => this.api.post('/workspaces/invitations/accept', { token });
    bans = (id, cursor) => this.api.get(`/workspaces/${id}/bans`, { cursor });
    ban = (id, user) => this.api.put(`/workspaces/${id}/bans/${user}`);
    liftBan = (id, user) => this.api.delete(`/workspaces/${id}/bans/${user}`);
    workspaceSettings = (id) => this.api.get(`/workspaces/${id}/settings`);
    updateWorkspaceSettings = (id, settings) => this.api.put(`/workspaces/${id}/settings`, settings);
    joinRequests = (id, cursor) => this.api.get(`/workspaces/${id}/join-requests`, { cursor });
    /** @param {'approve'|'decline'} action */
    answerJoinRequest = (id, user, action) => this.api.put(`/workspaces/${id}/join-requests/${user}`, { action });
    askToJoin = (id, text) => this.api.post(`/workspaces/${id}/join-requests`, { text });
    audit = (id, cursor) => this.api.get(`/workspaces/${id}/audit`, { cursor });

    // Rooms

    async rooms(id) {
        const reply = await this.api.get(`/workspaces/${id}/rooms`, { with: 'threads' });
        return Array.isArray(reply) ? { rooms: reply, threads: null } : reply;
    }
    channels = (id) => this.api.get(`/workspaces/${id}/channels`);
    channel = (room) => this.api.get(roomPath(room));
    createChannel = (id, { name, description }) => this.api.post(`/workspaces/${id}/channels`, { name, description });
    updateChannel = (room, { name, description }) => this.api.put(roomPath(room), { name, description });
    deleteChannel = (room) => this.api.delete(roomPath(room));
    leaveChannel = (room) => this.api.get(`${roomPath(room)}/exit`);
    handOverChannel = (room, owner_id) => this.api.put(`${roomPath(room)}/transfer/ownership`, { owner_id });
    removeFromChannel = (room, user) => this.api.delete(`${roomPath(room)}/members/${user}`);
    openDm = (id, opponent_id) => this.api.post(`/workspaces/${id}/dms`, { opponent_id });
    notify = (room, level, mutedUntil) => this.api.put(`${roomPath(room)}/notify`, { level, mutedUntil });
    draft = (room, content, thread) => this.api.put(`${roomPath(room)}/draft`, { content, thread }, { outlives: true });
    read = (room, seq) => this.api.put(`${roomPath(room)}/read`, { seq });
    readers = (room) => this.api.get(`${roomPath(room)}/readers`);

    // Messages

    /** @param {{before?: number, after?: number, limit?: number, threads?: 'inline'}} page with `inline` it has all replies too */
    history = (room, { before, after, limit = 50, threads }) =>
        this.api.get(`${roomPath(room)}/chats`, { before_seq: before, after_seq: after, limit, threads });
    changes = (room, after) => this.api.get(`${roomPath(room)}/changes`, { after_rev: after, limit: 500 });
    message = (room, seq) => this.api.get(`${roomPath(room)}/chats/${seq}`);
    versions = (room, seq) => this.api.get(`${roomPath(room)}/chats/${seq}/versions`);
    thread = (room, seq, after) => this.api.get(`${roomPath(room)}/chats/${seq}/thread`, { after_seq: after, limit: 200 });
    follow = (room, seq, on) => this.api.call(on ? 'PUT' : 'DELETE', `${roomPath(room)}/chats/${seq}/thread/follow`);
    readThread = (room, root, seq) => this.api.put(`${roomPath(room)}/chats/${root}/thread/read`, { seq });
    edit = (room, seq, content) => this.api.put(`${roomPath(room)}/chats/${seq}`, { content });
    remove = (room, seq) => this.api.delete(`${roomPath(room)}/chats/${seq}`);
    react = (room, seq, emoji, on) =>
        this.api.call(on ? 'PUT' : 'DELETE', `${roomPath(room)}/chats/${seq}/reactions/${encodeURIComponent(emoji)}`);
    pin = (room, seq, on) => this.api.call(on ? 'PUT' : 'DELETE', `${roomPath(room)}/chats/${seq}/pin`);
    save = (room, seq, on) => this.api.call(on ? 'PUT' : 'DELETE', `${roomPath(room)}/chats/${seq}/saved`);
    pins = (room, cursor) => this.api.get(`${roomPath(room)}/pins`, { cursor });
    saved = (cursor) => this.api.get('/users/me/saved', { cursor });
    threads = (id, cursor) => this.api.get(`/workspaces/${id}/threads`, { cursor });
    mentions = (id, cursor) => this.api.get(`/workspaces/${id}/mentions`, { cursor });
    /** Days in `before:` and `after:` are those of this device. */
    search = (id, q, cursor, signal) => {
        const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
        return this.api.get(`/workspaces/${id}/search`, { q, cursor, zone, limit: 30 }, { signal });
    };
    find = (id, q, signal) => this.api.get(`/workspaces/${id}/find`, { q }, { signal });

    /** Sends an entry of the outbox. */
    send(room, { id, content, files = [], thread, toRoom }, { signal, progress } = {}) {
        const path = `${roomPath(room)}/chats`;
        const members = { content, client_id: id, ...(thread ? { thread, toRoom: !!toRoom } : {}) };
        // The `client_id` makes a repeat harmless.
        if (!files.length) return this.api.post(path, members, { signal, isRepeatable: true });
        const body = form(members);
        for (const file of files) body.append('files', file, file.name);
        return this.api.post(path, body, { signal, progress });
    }

    /** The commands of bots: `{items: [{command_id, name, description, hint, bot_id}]}`. */
    commands = (id) => this.api.get(`/workspaces/${id}/commands`);
    /** Runs a command: `{state, run_id}` with `answer` for the user alone, or with the `message` that everybody sees. */
    runCommand = (room, { name, text, thread }) => this.api.post(`${roomPath(room)}/commands`, { name, text, thread });

    schedule(room, { content, at, thread, files = [] }) {
        const path = `${roomPath(room)}/scheduled`;
        if (!files.length) return this.api.post(path, { content, at, thread });
        const body = form({ content, at, ...(thread ? { thread } : {}) });
        for (const file of files) body.append('files', file, file.name);
        return this.api.post(path, body);
    }

    scheduled = (cursor) => this.api.get('/users/me/scheduled', { cursor });
    reschedule = (id, changes) => this.api.put(`/users/me/scheduled/${id}`, changes);
    unschedule = (id) => this.api.delete(`/users/me/scheduled/${id}`);

    // Files and coins

    links = (folder, paths) => this.api.post(`/static/${folder}/links`, { paths });
    items = () => this.api.get('/store/item/list');
    order = (item) => this.api.post('/store/orders', { item });
    pay = (imp_uid, merchant_uid) => this.api.post('/store/pay/validation', { imp_uid, merchant_uid });
}
