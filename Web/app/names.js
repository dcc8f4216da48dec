import { NOBODY } from '../maru/events.js';
import { t } from './i18n.js';
import { app } from './state.js';

/** The name of a person; the server has one name for all deleted accounts, in Korean. */
export const nameOf = ({ nickname }) => (nickname === NOBODY ? t('person.gone') : nickname);

/** The name of a user, by id; undefined for an unknown one. */
export function nicknameOf(id) {
    const user = app.store.users.get(id);
    return user && nameOf(user);
}
