/** Small helpers to build and update the page. No data ever goes through innerHTML. */

const SVG = 'http://www.w3.org/2000/svg';

/**
 * Builds an element. Members of `props`: `class`, `data` (an object), `on` (an object of listeners), functions that begin with
 * `on` are listeners too, everything else is an attribute, or a property if the element has one of that name.
 */
export function h(tag, props, ...children) {
    const element = document.createElement(tag);
    set(element, props ?? {});
    element.append(...children.flat(Infinity).filter((each) => each !== null && each !== undefined && each !== false));
    return element;
}

export function set(element, props) {
    for (const [name, value] of Object.entries(props)) {
        if (value === undefined || value === null) continue;
        if (name === 'class') element.className = value;
        else if (name === 'data') Object.assign(element.dataset, value);
        else if (name.startsWith('on') && typeof value === 'function') element.addEventListener(name.slice(2), value);
        else if (name === 'style') for (const [key, each] of Object.entries(value)) element.style.setProperty(key, each);
        else if (typeof value === 'boolean' && !name.startsWith('aria-')) element.toggleAttribute(name, value);
        else if (name === 'value' || name === 'textContent') element[name] = value;
        else element.setAttribute(name, value);
    }
    return element;
}

const PATHS = {
    send: 'M5 12h13M12 5l7 7-7 7',
    plus: 'M12 5v14M5 12h14',
    close: 'M6 6l12 12M18 6L6 18',
    search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM20 20l-4-4',
    hash: 'M9 4L7 20M17 4l-2 16M4 9h16M3.5 15h16',
    more: 'M5.500 11.500a.5.5 0 1 0 .01 0M12 11.500a.5.5 0 1 0 .01 0M18.500 11.500a.5.5 0 1 0 .01 0',
    smile: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM8.5 14.5c1.8 2.4 5.2 2.4 7 0M9 9.5h.01M15 9.5h.01',
    clip: 'M20 11.5l-8.2 8.2a5 5 0 0 1-7-7L13 4.400a3.300 3.300 0 0 1 4.700 4.700l-8.200 8.200a1.700 1.700 0 0 1-2.400-2.400L14.500 7.500',
    thread: 'M4 5h16v11H10l-5 4v-4H4zM8 9h8M8 12.500h5',
    bookmark: 'M7 4h10v16l-5-4-5 4z',
    pin: 'M9 4h6l-1 6 3 3v2H7v-2l3-3zM12 15v5',
    edit: 'M4 20l1-4L16 5l3 3L8 19zM14 7l3 3',
    trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10.500 11v5.500M13.500 11v5.500',
    back: 'M15 5l-7 7 7 7',
    down: 'M6 9l6 6 6-6',
    at: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM16 8v5.500a2.500 2.500 0 0 0 5 0V12a9 9 0 1 0-3.600 7.200',
    users: 'M9 11a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM3 20c0-4 2.500-6 6-6s6 2 6 6M16 4.500a3.500 3.500 0 0 1 0 6.500M17.500 14.300c2.300.700 3.500 2.700 3.500 5.700',
    info: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 11v5M12 8h.01',
    bell: 'M6 16V11a6 6 0 0 1 12 0v5l1.500 2h-15zM10 20.500a2 2 0 0 0 4 0',
    mute: 'M6 16V11a6 6 0 0 1 9.500-4.900M18 11v5l1.500 2h-13M10 20.500a2 2 0 0 0 4 0M4 4l16 16',
    gear: 'M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM12 3v3M12 18v3M3 12h3M18 12h3M5.600 5.600l2.100 2.100M16.300 16.300l2.100 2.100M5.600 18.400l2.100-2.100M16.300 7.700l2.100-2.100',
    coin: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM8 9.500l1.500 5 2.500-5 2.500 5 1.500-5M7.500 11.800h9',
    exit: 'M10 4H5v16h5M14 8l4 4-4 4M18 12H9',
    file: 'M7 3h7l4 4v14H7zM14 3v4h4',
    download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
    clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3.500 2',
    warn: 'M12 4l9 16H3zM12 10v4.500M12 17.500h.01',
    check: 'M5 12.500l4.500 4.500L19 7',
    checks: 'M2.500 12.500L7 17l8.500-10M11 15.500l1.500 1.500L21.500 7',
    retry: 'M4 12a8 8 0 0 1 14-5.300L20 9M20 4v5h-5M20 12a8 8 0 0 1-14 5.300L4 15M4 20v-5h5',
    sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2.500V5M12 19v2.500M2.500 12H5M19 12h2.500M5.300 5.300L7 7M17 17l1.700 1.700M5.300 18.700L7 17M17 7l1.700-1.700',
    compass: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM15.500 8.500l-2 5-5 2 2-5z',
    ban: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM6 6l12 12',
    eye: 'M2.500 12C6 6 18 6 21.500 12 18 18 6 18 2.500 12zM12 9.500a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5z',
    menu: 'M4 7h16M4 12h16M4 17h16',
};

/** An icon without a name of its own: its button is labelled. */
export function icon(name, size = 20) {
    const svg = document.createElementNS(SVG, 'svg');
    for (const [key, value] of Object.entries({ viewBox: '0 0 24 24', width: size, height: size, class: 'icon', 'aria-hidden': 'true' })) {
        svg.setAttribute(key, value);
    }
    const path = document.createElementNS(SVG, 'path');
    path.setAttribute('d', PATHS[name]);
    svg.append(path);
    return svg;
}

/** A button with an icon; its label is read aloud and shown as a tip. */
export const iconButton = (name, label, onclick, props = {}) =>
    h('button', { type: 'button', class: 'icon-button', 'aria-label': label, title: label, onclick, ...props }, icon(name, props.size ?? 20));

/**
 * Makes the children of a parent match a list, reusing an element as long as its signature is the same. The focus stays with
 * the control of the same `data-action` if its element is replaced.
 * @param {{key: string, signature: any, make: () => Element}[]} items
 */
export function keyed(parent, items) {
    const held = (parent.keyedRows ??= new Map());
    const focused = parent.contains(document.activeElement) ? document.activeElement : null;
    const around = focused && [...held].find(([, row]) => row.element.contains(focused))?.[0];
    const kept = new Map();
    let refocus = null;
    for (const { key, signature, make } of items) {
        let row = held.get(key);
        if (!row || !same(row.signature, signature)) {
            const element = make();
            // Parts that a row adds when it is used stay with the row that replaces it.
            if (row && row.element.complete === null) element.complete?.();
            if (focused && row?.element.contains(focused)) refocus = () => again(element, focused);
            row = { element, signature };
        }
        kept.set(key, row);
    }
    const elements = new Set([...kept.values()].map(({ element }) => element));
    // Rows that stay are not moved past those that go: a list would jump.
    for (const each of [...parent.childNodes]) if (!elements.has(each)) each.remove();
    let place = parent.firstChild;
    for (const element of elements) {
        if (element === place) place = place.nextSibling;
        else parent.insertBefore(element, place);
    }
    parent.keyedRows = kept;
    if (around !== null && around !== undefined && !kept.has(around)) refocus = () => beside(around, [...held.keys()], kept);
    // A row that was moved has lost it.
    else if (focused && !refocus) refocus = () => document.activeElement === focused || focused.focus({ preventScroll: true });
    refocus?.();
}

/** Whether the user has a mouse, and so a keyboard: on a touch screen a focused field opens the keyboard of the screen. */
export const hasMouse = () => matchMedia('(hover: hover)').matches;

/**
 * Whether Enter is a key of a real keyboard. Some browsers call the screen of a laptop or of a tablet with a keyboard its main device,
 * and tell of the mouse beside it. Some phones tell of a mouse that they do not have.
 */
export const hasKeyboard = () => hasMouse() || matchMedia('(any-hover: hover) and (min-width: 761px) and (min-height: 501px)').matches;

/** Focuses the next row, or else the one before, of one that is gone. Nothing scrolls: it may be far away. */
function beside(gone, keys, kept) {
    const place = keys.indexOf(gone);
    const row = [...keys.slice(place + 1), ...keys.slice(0, place).reverse()].map((key) => kept.get(key)?.element)
        .find((each) => each?.hasAttribute('tabindex') || each?.querySelector('button, a'));
    (row?.hasAttribute('tabindex') ? row : row?.querySelector('button, a'))?.focus({ preventScroll: true });
}

/** Gives the focus back to an element after a dialog or a menu, or to the one that has taken its place since. */
export function giveBack(element) {
    if (!element || element === document.body || document.activeElement !== document.body) return;
    if (element.isConnected) {
        // Tools of a row show while the focus is in it, and only what shows can be focused.
        element.closest('.message[tabindex]')?.focus({ preventScroll: true });
        return element.focus();
    }
    const { action } = element.dataset;
    // Only the last dialog can have the focus.
    const part = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document;
    const row = part.querySelector(`.message[data-seq="${element.closest('[data-seq]')?.dataset.seq}"]`);
    if (row) return again(row, element);
    const same = action && part.querySelector(`[data-action="${CSS.escape(action)}"]`);
    // The keyboard of a small screen stays away.
    const other = part !== document ? '.dialog-head button' : hasMouse() ? 'maru-room textarea' : '#main';
    (same || part.querySelector(other))?.focus();
}

function again(element, focused) {
    const action = focused.dataset?.action;
    if (element.hasAttribute('tabindex')) element.focus({ preventScroll: true });
    (action && element.querySelector(`[data-action="${action}"]`) || (element.tabIndex >= -1 && element.hasAttribute('tabindex') ? element : element.querySelector('button, a')))?.focus();
}

const same = (one, other) =>
    one === other || (Array.isArray(one) && Array.isArray(other) && one.length === other.length && one.every((each, place) => each === other[place]));

/** The element that the pointer is pressed on, and the work that waits for the click. */
const press = { on: null, waiting: [], end: 0 };

function endPress(delay = 0) {
    clearTimeout(press.end);
    press.end = setTimeout(() => {
        press.on = null;
        for (const work of press.waiting.splice(0)) work();
    }, delay);
}

addEventListener('pointerdown', (event) => {
    if (!event.isPrimary || event.button !== 0) return;
    clearTimeout(press.end);
    press.on = event.target;
}, true);
// The click of a mouse comes in the same task, that of a finger a moment later.
addEventListener('pointerup', (event) => endPress(event.pointerType === 'mouse' ? 0 : 300), true);
for (const name of ['click', 'pointercancel']) addEventListener(name, () => endPress(), true);
addEventListener('blur', () => endPress());

/**
 * A custom element that renders itself once for any number of changes in a frame, and not while the pointer is pressed on it: an
 * element that is replaced then would miss the click, and a selection would end.
 */
export class View extends HTMLElement {
    #ends = [];
    #asked = false;

    connectedCallback() {
        this.setup?.();
        this.render();
    }

    disconnectedCallback() {
        for (const end of this.#ends.splice(0)) end();
        this.teardown?.();
    }

    /** Listens until the element leaves the page. */
    listen(emitter, names, listener = () => this.invalidate()) {
        for (const name of [names].flat()) this.#ends.push(emitter.on(name, listener));
    }

    onEnd(end) {
        this.#ends.push(end);
    }

    invalidate() {
        if (this.#asked) return;
        this.#asked = true;
        // A hidden page has no frames.
        (document.hidden ? setTimeout : requestAnimationFrame)(() => {
            if (this.contains(press.on)) press.waiting.push(() => this.#renderAgain());
            else this.#renderAgain();
        });
    }

    #renderAgain() {
        this.#asked = false;
        if (this.isConnected) this.render();
    }

    render() {}
}
