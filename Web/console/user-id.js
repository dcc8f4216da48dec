import { CallError, operator } from './operator.js';

/** The id of a user by the id itself or the address of the account. */
export async function userId(text) {
    if (/^[0-9]+$/.test(text)) return text;
    const { users } = await operator.get('auth-service', `/operator/users?text=${encodeURIComponent(text)}`);
    const found = users.filter((each) => each.email === text.toLowerCase() || each.email === text);
    if (found.length !== 1) throw new CallError(404, null);
    return found[0].user_id;
}
