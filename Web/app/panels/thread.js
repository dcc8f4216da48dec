import { View } from '../dom.js';
import { dropSign } from '../parts/drop.js';

/** A thread with its composer. */
class Thread extends View {
    setup() {
        const { room, seq } = this.panel;
        const make = (name) => Object.assign(document.createElement(name), { room, thread: seq });
        const composer = make('maru-composer');
        this.replaceChildren(make('maru-timeline'), composer, dropSign(this, (files) => composer.attach(files)));
    }
}

customElements.define('maru-thread', Thread);
