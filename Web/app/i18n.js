import en from './strings.en.js';
import ko from './strings.ko.js';

const LANGUAGES = { ko, en };
let language = 'en';

/** The language of the switch, or else of the browser. */
export function chooseLanguage(stored) {
    const wanted = stored || navigator.languages.map((each) => each.slice(0, 2)).find((each) => each in LANGUAGES) || 'en';
    language = wanted in LANGUAGES ? wanted : 'en';
    document.documentElement.lang = language;
}

/** Adds the texts of another page that uses the parts of this one. */
export function addTexts(texts) {
    for (const [name, more] of Object.entries(texts)) Object.assign(LANGUAGES[name], more);
}

export const currentLanguage = () => language;

/** The text of a name, with `{members}` filled in. A text of two forms, `one | many`, is chosen by `count`. */
export function t(name, values = {}) {
    let text = LANGUAGES[language][name] ?? en[name] ?? name;
    if (text.includes(' | ')) text = text.split(' | ')[values.count === 1 ? 0 : 1];
    return text.replace(/\{(\w+)\}/g, (_, member) => values[member] ?? '');
}

/** A failure in words, with advice where there is some. */
export function explain(error) {
    if (error?.name === 'AbortError') return t('error.aborted');
    const known = `error.${error?.code}`;
    const text = t(known);
    if (text === known) return t('error.unknown');
    return error.code === 'E11' && error.detail && language === 'en' ? error.detail : text;
}

/** The rule that a field breaks in words: those of the browser are in its own language. The title of a field explains its pattern. */
export function explainField({ validity, type, min, max, title, validationMessage }) {
    if (validity.valueMissing) return t('invalid.missing');
    if (validity.typeMismatch && type === 'email') return t('invalid.email');
    if (validity.patternMismatch) return title || t('invalid.pattern');
    if (type === 'number') return t('invalid.number', { min, max });
    return validationMessage;
}
