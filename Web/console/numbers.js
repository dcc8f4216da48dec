import { currentLanguage, t } from '../app/i18n.js';

const NOTHING = '–';
const number = (value, digits) => new Intl.NumberFormat(currentLanguage(), { maximumFractionDigits: digits }).format(value);

export const count = (value) => (value === undefined ? NOTHING : number(value, 0));
export const perSecond = (value) => (value === undefined ? NOTHING : `${number(value, value < 10 ? 1 : 0)}/s`);

/** A time in seconds, in milliseconds below ten seconds. */
export function milliseconds(seconds) {
    if (seconds === undefined) return NOTHING;
    return seconds < 10 ? `${number(seconds * 1000, seconds < 0.01 ? 1 : 0)} ms` : `${number(seconds, 0)} s`;
}

/** How long something has lasted, by its two largest units. */
export function lasting(seconds) {
    const [days, hours, minutes] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60];
    if (days) return t('time.days', { days, hours });
    if (hours) return t('time.hours', { hours, minutes });
    return t('time.minutes', { minutes, seconds: Math.floor(seconds) % 60 });
}
