import { giveBack, h, iconButton } from '../dom.js';
import { explain, t } from '../i18n.js';

/** Opens a dialog with a title. Escape, the button and a click outside close it; the focus returns. */
export function openDialog(title, body, { className = '', onclose } = {}) {
    const id = `dialog-${crypto.randomUUID()}`;
    const opener = document.activeElement;
    const dialog = h('dialog', { class: className, 'aria-labelledby': id },
        h('header', { class: 'dialog-head' }, h('h2', { id }, title), iconButton('close', t('dialog.close'), () => dialog.close())),
        h('div', { class: 'dialog-body' }, body));
    dialog.addEventListener('pointerdown', (event) => {
        if (event.target === dialog) dialog.close();
    });
    dialog.addEventListener('close', () => {
        dialog.remove();
        giveBack(opener);
        onclose?.();
    });
    document.body.append(dialog);
    dialog.showModal();
    dialog.querySelector('.dialog-body :is(input, textarea, select, button):not([type="hidden"])')?.focus();
    return dialog;
}

/**
 * A form of fields, a fault line and a button. `submit` gets the values and the button; if it fails, the fault is told and the
 * form stays. `told` is a fault that the form opens with.
 * @param {Element[]} fields
 */
export function form(fields, { label, submit, danger = false, cancel, told = '' }) {
    const fault = h('p', { class: 'fault', role: 'alert' }, told);
    const button = h('button', { type: 'submit', class: `button ${danger ? 'danger' : 'primary'}` }, label);
    return h('form', {
        novalidate: true,
        onsubmit: async (event) => {
            event.preventDefault();
            fault.textContent = '';
            const invalid = event.target.querySelector(':invalid');
            if (invalid) {
                fault.textContent = invalid.validationMessage;
                return invalid.focus();
            }
            button.disabled = true;
            try {
                await submit(Object.fromEntries(new FormData(event.target)), button);
            } catch (error) {
                const isPassword = error.code === 'E03' && event.target.elements.password;
                fault.textContent = error.text ?? (isPassword ? t('error.wrongPassword') : explain(error));
                if (!error.code) console.error(error);
            } finally {
                button.disabled = false;
                // A button that is disabled loses the focus.
                if (button.isConnected && document.activeElement === document.body) button.focus();
            }
        },
    }, fields, fault, h('div', { class: 'dialog-foot' }, cancel && h('button', { type: 'button', class: 'button', onclick: cancel }, t('dialog.cancel')), button));
}

export function field(label, props, { hint } = {}) {
    const id = hint && `hint-${crypto.randomUUID()}`;
    const { multiline, ...rest } = props;
    const input = h(multiline ? 'textarea' : 'input', { class: 'input', 'aria-describedby': id || undefined, ...rest });
    return h('label', { class: 'field' }, h('span', null, label), input, hint && h('small', { id }, hint));
}

export const check = (label, props) => h('label', { class: 'check' }, h('input', { type: 'checkbox', ...props }), h('span', null, label));

/** Asks for a decision; resolves with true or false. */
export function ask(text, { label = t('dialog.ok'), danger = false } = {}) {
    return new Promise((resolve) => {
        let answer = false;
        const dialog = openDialog(text, form([], {
            label, danger, cancel: () => dialog.close(),
            submit: () => {
                answer = true;
                dialog.close();
            },
        }), { onclose: () => resolve(answer) });
    });
}
