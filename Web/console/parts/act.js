import { h } from '../../app/dom.js';
import { t } from '../../app/i18n.js';
import { field, form, openDialog } from '../../app/parts/dialog.js';
import { toast } from '../../app/parts/toast.js';
import { operator } from '../operator.js';

/**
 * A button for an act. One that takes something away opens a dialog that wants the id typed.
 * Operators who may only look get none.
 * @param {string} name of the act, such as `users.disable`; its texts are `act.<name>` and `ask.<name>`
 * @param {string} id the target
 * @param {() => Promise} run
 * @param {(reply) => void} done
 */
export function act(name, id, run, done, { isHarmless = false } = {}) {
    if (!operator.mayAct) return null;
    const finish = (reply) => {
        toast(t('act.done', { act: t(`act.${name}`) }));
        done?.(reply);
    };
    return h('button', {
        type: 'button', class: 'button small', data: { act: name },
        onclick: async (event) => {
            if (!isHarmless) return confirm(name, id, run, finish);
            const button = event.currentTarget;
            button.disabled = true;
            try {
                finish(await run());
            } catch (error) {
                toast(error.text ?? String(error), { bad: true });
            } finally {
                button.disabled = false;
            }
        },
    }, t(`act.${name}`));
}

function confirm(name, id, run, finish) {
    const dialog = openDialog(t(`act.${name}`), [
        h('p', null, t(`ask.${name}`, { id })),
        form([field(t('act.typeId', { id }), { name: 'id', required: true, autocomplete: 'off', spellcheck: 'false' })], {
            label: t(`act.${name}`), danger: true, cancel: () => dialog.close(),
            submit: async (values) => {
                if (values.id.trim() !== String(id)) throw Object.assign(new Error(t('act.otherId')), { code: 'id', text: t('act.otherId') });
                const reply = await run();
                dialog.close();
                finish(reply);
            },
        }),
    ]);
}
