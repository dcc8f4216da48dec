import { h, icon } from '../../app/dom.js';
import { fileName, isImage } from '../../app/format.js';
import { t } from '../../app/i18n.js';
import { toast } from '../../app/parts/toast.js';
import { operator } from '../operator.js';
import { act } from '../parts/act.js';
import { load } from '../parts/load.js';
import { record, shown, table } from '../parts/table.js';

const ACTIONS = ['dismiss', 'delete', 'warn', 'remove'];

/** Reads a file of a report, which its messages or their room may have no more; null if it is gone for good. */
async function read(id, path) {
    try {
        return await operator.file('chat-service', `/operator/reports/${id}/files/${encodeURIComponent(path.split('/').at(-1))}`);
    } catch (error) {
        if (error.status === 404) return null;
        throw error;
    }
}

/** A picture of a report, with its name in words for those who do not see it; a button for one that the browser cannot show. */
function image(id, path, alt) {
    const host = h('div', { class: 'evidence' });
    load(host, () => read(id, path), (file) => {
        if (!file) return h('p', { class: 'hint' }, `${fileName(path)}: ${t('reports.fileGone')}`);
        const address = URL.createObjectURL(file);
        const picture = h('img', { alt, src: address });
        for (const name of ['load', 'error']) picture.addEventListener(name, () => URL.revokeObjectURL(address), { once: true });
        picture.addEventListener('error', () => picture.replaceWith(download(id, path)));
        return picture;
    });
    return host;
}

/** The name that a file is saved by. Its path has the suffix of its type behind the unique part; some names have it too. */
function titleOf(path) {
    const [name, suffix] = [fileName(path), `.${path.split('.').at(-1)}`];
    return name.toLowerCase().endsWith(suffix) ? name : name + suffix;
}

/** The browser reads the file after the click, so its address stays for a minute. */
function save(file, name) {
    const address = URL.createObjectURL(file);
    h('a', { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** A button that saves a file of a report. */
function download(id, path) {
    const name = fileName(path);
    return h('button', {
        type: 'button', class: 'button small', 'aria-label': t('message.download', { name }),
        onclick: async ({ currentTarget: button }) => {
            button.disabled = true;
            try {
                const file = await read(id, path);
                if (file) save(file, titleOf(path));
                else toast(`${name}: ${t('reports.fileGone')}`, { bad: true });
            } catch (error) {
                toast(error.text ?? String(error), { bad: true });
            } finally {
                button.disabled = false;
                // A button that is disabled loses the focus.
                if (document.activeElement === document.body) button.focus();
            }
        },
    }, icon('download', 16), name);
}

/** The reports that operators answer. `#/reports/5` shows one. */
class Reports extends HTMLElement {
    connectedCallback() {
        this.result = h('div', { class: 'result' });
        const [id] = this.path;
        if (id) {
            this.replaceChildren(h('p', null, h('a', { href: '#/reports' }, t('console.back'))), this.result);
            return this.show(id);
        }
        const state = h('select', { class: 'input narrow', onchange: () => this.list(state.value) },
            ['open', 'answered'].map((each) => h('option', { value: each }, t(`reports.${each}`))));
        this.replaceChildren(h('label', { class: 'field' }, h('span', null, t('reports.state')), state), this.result);
        this.list('open');
    }

    list(state) {
        load(this.result, () => operator.get('chat-service', `/operator/reports?state=${state}`), ({ items, next, complete }) => [
            complete === false && h('p', { class: 'fault', role: 'alert' }, t('reports.incomplete')),
            table(t('page.reports'), ['id', 'type', 'reason', 'createdAt', 'dueAt'].map((each) => t(`reports.${each}`)), items.map((each) => [
                h('a', { href: `#/reports/${each.report_id}` }, each.report_id), each.type, each.reason, shown(each.createdAt), each.dueAt && shown(each.dueAt),
            ]), { empty: t(complete === false ? 'reports.noneInReach' : 'reports.none') }),
            next && h('p', { class: 'hint' }, t('reports.more')),
        ]);
    }

    show(id) {
        load(this.result, () => operator.get('chat-service', `/operator/reports/${encodeURIComponent(id)}`), (report) => this.view(report));
    }

    /** The portrait or cover as it was when it was reported, or why there is none to see. */
    picture({ report_id: id, picture }) {
        const evidence = picture.path ? image(id, picture.path, t('reports.picture')) : h('div', { class: 'evidence' }, t(`reports.picture.${picture.state}`));
        return h('section', null, h('h2', null, t('reports.picture')), evidence);
    }

    /** The reported message and those before it as they were, with their files. */
    messages(id, copies) {
        if (!copies.length) return h('p', { class: 'hint' }, t('reports.noMessages'));
        return h('ol', { class: 'copies' }, copies.map((each) => h('li', null,
            h('small', null, `${each.seq} · ${each.nickname} · `, shown(each.createdAt)),
            each.content && h('blockquote', null, each.content),
            each.files.length > 0 && h('ul', null, each.files.map((path) => h('li', null, isImage(path) ? image(id, path, t('message.image', { name: fileName(path) })) : download(id, path)))))));
    }

    view(report) {
        const { messages = [], user, workspace, picture, ...facts } = report;
        if (workspace) facts.workspace_id = `${workspace.name} (${facts.workspace_id})`;
        const answer = (action) => act(`reports.${action}`, report.report_id,
            () => operator.call('PUT', 'chat-service', `/operator/reports/${report.report_id}/${action}`), () => this.show(report.report_id));
        return [
            record({ ...facts, user: user && `${user.nickname} (${user.user_id})` }),
            picture && this.picture(report),
            report.type === 'message' && h('section', null, h('h2', null, t('reports.messages')), this.messages(report.report_id, messages)),
            report.state === 'open' && h('div', { class: 'acts', role: 'group', 'aria-label': t('reports.answer') }, ACTIONS.map(answer)),
        ];
    }
}

customElements.define('console-reports', Reports);
