import { h } from './dom.js';
import { nameOf } from './names.js';

const INLINE = /(`[^`\n]+`)|(\*\*[^*\n]+\*\*)|(~~[^~\n]+~~)|((?<![\w가-힣])_[^_\n]+_(?!\w))|(https?:\/\/[^\s<>"'`]+)|(<@\d+>)|(@[^\s@.,!?;:()[\]{}<>]{1,40})/u;

/**
 * Renders a message: bold, strike, emphasis, code, quotes, lists by lines, links and mentions. Everything becomes text nodes and
 * elements, so no text can add markup.
 * @param {(name: string) => {label: string, own: boolean}|null} mention finds the mention that an @text begins with
 */
export function renderMarkup(text, mention = () => null) {
    const nodes = [];
    const parts = text.split('```');
    for (const [place, part] of parts.entries()) {
        const isCode = place % 2 === 1;
        if (isCode && place + 1 < parts.length) {
            nodes.push(h('pre', { tabindex: '0' }, h('code', null, part.replace(/^\w*\n/, '').replace(/\n$/, ''))));
        } else if (isCode) {
            nodes.push(...lines(`\`\`\`${part}`, mention));
        } else if (part) {
            nodes.push(...lines(place ? part.replace(/^\n/, '') : part, mention));
        }
    }
    return nodes;
}

function lines(text, mention) {
    const nodes = [];
    let quote = null;
    for (const [place, line] of text.split('\n').entries()) {
        const quoted = /^>\s?(.*)$/.exec(line);
        if (quoted) {
            if (!quote) nodes.push((quote = h('blockquote')));
            else quote.append(h('br'));
            quote.append(...inline(quoted[1], mention));
            continue;
        }
        if (place && !quote) nodes.push(document.createTextNode('\n'));
        quote = null;
        nodes.push(...inline(line, mention));
    }
    return nodes;
}

function inline(text, mention) {
    const nodes = [];
    while (text) {
        const match = INLINE.exec(text);
        if (!match) break;
        let [found] = match;
        const [, code, bold, strike, emphasis, link, named, at] = match;
        let node;
        if (code) node = h('code', null, code.slice(1, -1));
        else if (bold) node = h('strong', null, ...inline(bold.slice(2, -2), mention));
        else if (strike) node = h('s', null, ...inline(strike.slice(2, -2), mention));
        else if (emphasis) node = h('em', null, ...inline(emphasis.slice(1, -1), mention));
        else if (link) {
            found = trimmedLink(link);
            node = h('a', { href: found, target: '_blank', rel: 'noopener noreferrer nofollow' }, found);
        } else if (named || at) {
            const known = mention(text.slice(match.index));
            if (known) found = text.slice(match.index, match.index + known.length);
            node = known ? h('span', { class: known.own ? 'mention own' : 'mention' }, known.label) : document.createTextNode(found);
        }
        if (match.index) nodes.push(document.createTextNode(text.slice(0, match.index)));
        nodes.push(node);
        text = text.slice(match.index + found.length);
    }
    if (text) nodes.push(document.createTextNode(text));
    return nodes;
}

/** A link without the punctuation of the sentence around it. */
function trimmedLink(link) {
    let end = link.replace(/[.,!?;:'"]+$/, '');
    while (end.endsWith(')') && (end.match(/\(/g) ?? []).length < (end.match(/\)/g) ?? []).length) end = end.slice(0, -1);
    return end;
}

/** The text with its found parts marked; places are in UTF-16 units. */
export function highlighted(text, ranges) {
    const nodes = [];
    let end = 0;
    for (const [start, length] of ranges ?? []) {
        if (start < end) continue;
        nodes.push(text.slice(end, start), h('mark', null, text.slice(start, start + length)));
        end = start + length;
    }
    nodes.push(text.slice(end));
    return nodes;
}

/** Finds the longest name that a text begins with after its `@`; Korean particles may follow it. */
export function mentionFinder(members, me) {
    // The members may be an iterator, which gives them once.
    const byId = new Map([...members].map((member) => [String(member.user_id), member.nickname]));
    const ofAll = ['channel', 'here'];
    const byLength = [...new Set([...ofAll, ...byId.values()])].sort((one, other) => other.length - one.length);
    // Several people may have one name.
    const isOwn = (name) => ofAll.includes(name) || name === byId.get(String(me));
    return (text) => {
        const exact = /^<@(\d+)>/.exec(text);
        if (exact) {
            const name = byId.get(exact[1]);
            return name ? { label: `@${nameOf({ nickname: name })}`, length: exact[0].length, own: exact[1] === String(me) } : null;
        }
        const name = byLength.find((each) => text.startsWith(`@${each}`));
        if (!name) return null;
        return { label: `@${name}`, length: name.length + 1, own: isOwn(name) };
    };
}
