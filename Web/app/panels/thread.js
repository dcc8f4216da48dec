import { View } from '../dom.js';

/** A thread with its composer. */
class Thread extends View {
    setup() {
        const { room, seq } = this.panel;
        const make = (name) => Object.assign(document.createElement(name), { room, thread: seq });
        this.replaceChildren(make('maru-timeline'), make('maru-composer'));
    }
}

customElements.define('maru-thread', Thread);
