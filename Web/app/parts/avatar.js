import { h } from '../dom.js';
import { initial, tint } from '../format.js';
import { app } from '../state.js';

/** The picture of a person or a workspace; its first letter until the picture is there. */
export function avatar({ id, name, path }, size = '') {
    const element = h('span', { class: `avatar tint-${tint(id)} ${size}`, 'aria-hidden': 'true' }, initial(name));
    if (path) fill(element, path);
    return element;
}

export const personAvatar = (user, size) => avatar({ id: user.user_id, name: user.nickname, path: user.profileImage }, size);

async function fill(element, path) {
    const address = await app.client.links.get(path, 'small');
    if (!address) return;
    const image = h('img', { alt: '', src: address, loading: 'lazy' });
    image.addEventListener('error', () => image.remove());
    element.append(image);
}
