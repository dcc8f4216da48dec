import { giveBack, h, iconButton } from '../dom.js';
import { explain, explainField, t } from '../i18n.js';
import { layers } from '../layers.js';

/** Shows a dialog over the page. It leaves the page when it is closed, by Back too on a narrow screen, and the focus returns. */
export function showDialog(dialog, onclose) {
    const opener = document.activeElement;
    dialog.addEventListener('close', () => {
        layers.leave(layer);
        dialog.remove();
        giveBack(opener);
        onclose?.();
    });
    document.body.append(dialog);
    dialog.showModal();
    const layer = layers.enter(() => dialog.close());
}

/** Opens a dialog with a title. Escape, the button and a click outside close it; the focus returns. */
export function openDialog(title, body, { className = '', onclose } = {}) {
    const id = `dialog-${crypto.randomUUID()}`;
    const dialog = h('dialog', { class: className, 'aria-labelledby': id },
        h('header', { class: 'dialog-head' }, h('h2', { id }, title), iconButton('close', t('dialog.close'), () => dialog.close())),
        h('div', { class: 'dialog-body' }, body));
    closeByPressOutside(dialog);
    showDialog(dialog, onclose);
    dialog.querySelector('.dialog-body :is(input, textarea, select, button):not([type="hidden"])')?.focus();
    return dialog;
}

/** The press has to begin outside, too. A dialog that is closed before the click lets a tap press what is below it. */
export function closeByPressOutside(dialog) {
    let isOutside = false;
    dialog.addEventListener('pointerdown', (event) => (isOutside = event.target === dialog));
    dialog.addEventListener('click', (event) => isOutside && event.target === dialog && dialog.close());
}

/**
 * Shows the rule that the first wrong field of a form breaks, and focuses the field; screen readers read the fault with it. A text of
 * spaces counts as missing.
 * @returns {boolean} whether a field is wrong
 */
export function tellInvalid(form, fault) {
    fault.textContent = '';
    fault.id ||= `fault-${crypto.randomUUID()}`;
    const describe = (field, ids) => (ids.length ? field.setAttribute('aria-describedby', ids.join(' ')) : field.removeAttribute('aria-describedby'));
    const hintsOf = (field) => (field.getAttribute('aria-describedby') ?? '').split(' ').filter((each) => each && each !== fault.id);
    for (const each of form.querySelectorAll('[aria-invalid]')) {
        each.removeAttribute('aria-invalid');
        describe(each, hintsOf(each));
    }
    const isBlank = (each) => each.required && each.type !== 'password' && !each.value.trim();
    const wrong = [...form.elements].find((each) => each.willValidate && (!each.validity.valid || isBlank(each)));
    if (!wrong) return false;
    fault.textContent = isBlank(wrong) ? t('invalid.missing') : explainField(wrong);
    wrong.setAttribute('aria-invalid', 'true');
    describe(wrong, [...hintsOf(wrong), fault.id]);
    wrong.focus();
    return true;
}

/**
 * A form of fields, a fault line and a button. `submit` gets the values and the button; if it fails, the form shows the fault and
 * stays. `told` is a fault that the form opens with.
 * @param {Element[]} fields
 */
export function form(fields, { label, submit, danger = false, cancel, told = '' }) {
    const fault = h('p', { class: 'fault', role: 'alert' }, told);
    const button = h('button', { type: 'submit', class: `button ${danger ? 'danger' : 'primary'}` }, label);
    return h('form', {
        novalidate: true,
        onsubmit: async (event) => {
            event.preventDefault();
            if (tellInvalid(event.target, fault)) return;
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
