import { h } from '../dom.js';
import { t } from '../i18n.js';
import { personAvatar } from './avatar.js';

let count = 0;

/** Completes @names, and /commands at its beginning, in a text field: a listbox above it, moved by arrow keys, chosen by Enter, Tab or a click. */
export class Completion {
    #id = `suggestions-${(count += 1)}`;
    #list = h('ul', { class: 'suggestions', role: 'listbox', id: this.#id, 'aria-label': t('compose.suggestions'), hidden: true });
    #found = [];
    #chosen = 0;
    #start = 0;
    #end = 0;
    #mark = '@';

    /**
     * @param {() => {name: string, user?: object}[]} names
     * @param {() => {name: string, description: string, hint?: string}[]} commands
     */
    constructor(field, names, commands = () => []) {
        this.field = field;
        this.names = names;
        this.commands = commands;
        field.after(this.#list);
        for (const [name, value] of Object.entries({ 'aria-autocomplete': 'list', 'aria-controls': this.#id })) field.setAttribute(name, value);
        field.addEventListener('input', () => this.#find());
        field.addEventListener('blur', () => this.#close());
    }

    /** Handles a key; true if it was for the list. */
    key(event) {
        // The caret has left the name, by a key or a click.
        if (this.field.selectionStart !== this.#end) this.#close();
        if (this.#list.hidden) return false;
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (step) this.#choose((this.#chosen + step + this.#found.length) % this.#found.length);
        else if (event.key === 'Enter' && this.#isWhole) return this.#close(), false;
        else if (event.key === 'Enter' || event.key === 'Tab') this.#take(this.#found[this.#chosen]);
        else if (event.key === 'Escape') this.#close();
        else return false;
        event.preventDefault();
        return true;
    }

    /** Whether the name of a command is written out: Enter then runs it. */
    get #isWhole() {
        return this.#mark === '/' && this.#found[this.#chosen].name === this.field.value.slice(this.#start + 1).normalize('NFC');
    }

    /** Looks again, as after names have been read. */
    again() {
        if (document.activeElement === this.field) this.#find();
    }

    #find() {
        const before = this.field.value.slice(0, this.field.selectionStart);
        const order = /^\/([^\s/]{0,32})$/u.exec(before);
        const match = order ?? /(?:^|\s)@([^\s@]{0,30})$/u.exec(before);
        if (!match) return this.#close();
        this.#mark = order ? '/' : '@';
        const typed = match[1].toLowerCase().normalize('NFC');
        this.#start = before.length - match[1].length - 1;
        this.#end = before.length;
        const isWhole = (each) => each.name.toLowerCase() === typed;
        const begins = (each) => each.name.toLowerCase().startsWith(typed);
        const fits = (each) => each.name.toLowerCase().includes(typed) || initials(each.name).includes(typed);
        this.#found = (order ? this.commands() : this.names()).filter(fits)
            .sort((one, other) => isWhole(other) - isWhole(one) || begins(other) - begins(one)).slice(0, 8);
        if (!this.#found.length) return this.#close();
        this.#list.replaceChildren(...this.#found.map((each, place) => h('li', {
            role: 'option', id: `${this.#id}-${place}`, 'aria-selected': 'false',
            // The field keeps the focus.
            onpointerdown: (event) => (event.preventDefault(), this.#take(each)),
        }, each.user && personAvatar(each.user, 'small'), `${this.#mark}${each.name}`,
            each.description && h('small', null, [each.hint, each.description].filter(Boolean).join(' · ')))));
        this.#list.hidden = false;
        this.#choose(0);
    }

    #choose(place) {
        this.#chosen = place;
        for (const [each, row] of [...this.#list.children].entries()) row.setAttribute('aria-selected', String(each === place));
        this.#list.children[place].scrollIntoView({ block: 'nearest' });
        this.field.setAttribute('aria-activedescendant', `${this.#id}-${place}`);
    }

    #take({ name }) {
        this.field.setRangeText(`${this.#mark}${name} `, this.#start, this.#end, 'end');
        this.#close();
        this.field.dispatchEvent(new Event('input'));
    }

    #close() {
        this.#list.hidden = true;
        this.field.removeAttribute('aria-activedescendant');
    }
}

const INITIALS = [...'ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ'];

/** The initial consonants of a Korean text. */
export const initials = (text) => [...text].map((each) => {
    const place = each.codePointAt(0) - 0xac00;
    return place >= 0 && place < 11172 ? INITIALS[Math.floor(place / 588)] : each.toLowerCase();
}).join('');
