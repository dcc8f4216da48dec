import { MaruError } from '../../maru/errors.js';
import { attempt } from './toast.js';

const fetched = new Set();

/**
 * Loads the module of a dialog when it is first needed. A browser that could not load a module fails at it until the page is left, so
 * the file is fetched before.
 */
export async function loadDialog(file) {
    const address = new URL(`../dialogs/${file}.js`, import.meta.url).href;
    if (!fetched.has(file)) {
        try {
            const reply = await fetch(address);
            if (!reply.ok) throw new Error(`the file was answered with ${reply.status}`);
            await reply.arrayBuffer();
        } catch (error) {
            throw MaruError.offline(error);
        }
        fetched.add(file);
    }
    return import(address);
}

/** Calls a function of the module of a dialog, and shows a failure. */
export const open = (file, name, ...values) => attempt(async () => (await loadDialog(file))[name](...values));
