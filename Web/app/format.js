import { currentLanguage, t } from './i18n.js';

const formats = new Map();
function format(kind, options) {
    const key = `${currentLanguage()}/${kind}`;
    if (!formats.has(key)) formats.set(key, new Intl.DateTimeFormat(currentLanguage(), options));
    return formats.get(key);
}

export const timeOf = (date) => format('time', { hour: 'numeric', minute: '2-digit' }).format(new Date(date));
/** The shortest form of a time, for narrow places. */
export const clockOf = (date) => format('clock', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(new Date(date));
export const momentOf = (date) =>
    format('moment', { year: 'numeric', month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' }).format(new Date(date));

export const dayKey = (date) => new Date(date).toDateString();

export function dayOf(date) {
    const day = new Date(date);
    const days = Math.round((new Date().setHours(0, 0, 0, 0) - new Date(day).setHours(0, 0, 0, 0)) / 86_400_000);
    if (days === 0) return t('day.today');
    if (days === 1) return t('day.yesterday');
    return format('day', { year: 'numeric', month: 'long', day: 'numeric', weekday: 'long' }).format(day);
}

/** Today as a time, everything else as a day. */
export const shortMoment = (date) =>
    dayKey(date) === dayKey(Date.now()) ? timeOf(date) : format('short', { month: 'short', day: 'numeric' }).format(new Date(date));

export function sizeOf(bytes) {
    const units = ['B', 'KB', 'MB', 'GB'];
    let unit = 0;
    while (bytes >= 1000 && unit < 3) {
        bytes /= 1000;
        unit += 1;
    }
    return `${bytes < 10 && unit ? bytes.toFixed(1) : Math.round(bytes)} ${units[unit]}`;
}

/** The first letter of a name, for an avatar without a picture. */
export const initial = (name) => [...new Intl.Segmenter().segment((name || '?').trim())][0]?.segment.toUpperCase() ?? '?';

/** One of eight colours, always the same for an id. */
export const tint = (id) => [...String(id)].reduce((sum, each) => (sum * 31 + each.codePointAt(0)) >>> 0, 7) % 8;

function decoded(text) {
    try {
        return decodeURIComponent(text);
    } catch {
        return text;
    }
}

/** The name of a file for people: the part before the last `_`, percent-decoded, as the server stores it. */
export function fileName(path) {
    const last = path.split('/').at(-1);
    const cut = last.lastIndexOf('_');
    const name = cut > 0 ? last.slice(0, cut) : last;
    return decoded(decoded(name));
}

export const isImage = (path) => /\.(jpe?g|png|gif|webp)$/i.test(path);
export const isVideo = (path) => /\.(mp4|mov|webm)$/i.test(path);

/** The number of characters as a reader counts them. */
export const lengthOf = (text) => [...new Intl.Segmenter().segment(text)].length;
