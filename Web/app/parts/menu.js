import { giveBack, h, icon } from '../dom.js';
import { layers } from '../layers.js';

/**
 * Opens a menu beside a button, and returns the focus to the button afterwards. Arrow keys, Home and End move within it.
 * @param {HTMLElement} anchor
 * @param {({label: string, icon?: string, action: () => void, danger?: boolean, checked?: boolean}|'line'|{note: string})[]} items
 */
export function openMenu(anchor, items) {
    const rows = items.filter(Boolean).map((item) => {
        if (item === 'line') return h('hr');
        if (item.note) return h('div', { class: 'menu-note', role: 'presentation' }, item.note);
        return h('button', {
            type: 'button', role: item.checked === undefined ? 'menuitem' : 'menuitemradio', 'aria-checked': item.checked, tabindex: '-1',
            class: item.danger ? 'danger' : '',
            onclick: () => {
                close();
                // A dialog that the action opens gives the focus back to the button.
                if (menu.contains(document.activeElement)) document.activeElement.blur();
                giveBack(anchor);
                item.action();
            },
        }, item.icon && icon(item.icon), item.label);
    });
    const { menu, close } = openPopup(anchor, { role: 'menu', 'aria-label': anchor.getAttribute('aria-label') ?? anchor.textContent }, rows);
    const buttons = [...menu.querySelectorAll('button')];
    menu.addEventListener('keydown', (event) => {
        const place = buttons.indexOf(document.activeElement);
        const next = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: -1 }[event.key];
        if (event.key === 'Tab') close();
        if (next === undefined) return;
        event.preventDefault();
        buttons.at(next % buttons.length)?.focus();
    });
    buttons[0]?.focus();
}

/** Shows children in a floating box beside an anchor. Escape and a click elsewhere close it. */
export function openPopup(anchor, props, children) {
    const menu = h('div', { popover: 'auto', ...props, class: `menu ${props.class ?? ''}` }, children);
    // The popup belongs to the part of the page around its anchor, not to the row, which may be rendered again.
    (anchor.closest('dialog, main, maru-rail, maru-sidebar, maru-panel') ?? document.body).append(menu);
    const box = anchor.getBoundingClientRect();
    anchor.setAttribute('aria-expanded', 'true');
    menu.showPopover();
    const { width, height } = menu.getBoundingClientRect();
    const below = box.bottom + 4 + height <= innerHeight;
    menu.style.left = `${Math.max(8, Math.min(box.left, innerWidth - width - 8))}px`;
    menu.style.top = `${below ? box.bottom + 4 : Math.max(8, box.top - height - 4)}px`;
    const close = () => menu.isConnected && menu.hidePopover();
    const layer = layers.enter(close);
    menu.addEventListener('toggle', ({ newState }) => {
        if (newState !== 'closed') return;
        layers.leave(layer);
        const hadFocus = menu.contains(document.activeElement) || document.activeElement === document.body;
        menu.remove();
        anchor.removeAttribute('aria-expanded');
        if (hadFocus) giveBack(anchor);
    });
    return { menu, close };
}
