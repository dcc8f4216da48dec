import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Emitter } from '../../../Web/maru/emitter.js';
import { Store } from '../../../Web/maru/store.js';
import { Watch } from '../../../Web/maru/watch.js';

/** A live connection that records what it is asked, and refuses as often as it is told to. */
class Line extends Emitter {
    state = 'waiting';
    asked = [];
    refusals = 0;

    become(state) {
        this.state = state;
        this.emit('state', { state });
    }

    async request(name, { users }) {
        this.asked.push(users);
        if (this.refusals-- > 0) throw new Error('refused');
        return {};
    }
}

test('The parts of a page watch people together, and a new connection is told of them again', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const line = new Line();
    const watch = new Watch(line, new Store());
    watch.set('sidebar', ['2', '1']);
    watch.set('details', [1, 3]);
    line.become('live');
    assert.deepEqual(line.asked, [['1', '2', '3']]);
    watch.set('details', []);
    watch.set('sidebar', ['1', '2']);
    context.mock.timers.tick(1000);
    assert.deepEqual(line.asked.at(-1), ['1', '2']);
    watch.set('sidebar', ['2', '1']);
    context.mock.timers.tick(1000);
    assert.equal(line.asked.length, 2, 'the same people are not told twice');
    line.become('waiting');
    line.become('live');
    assert.deepEqual(line.asked.at(-1), ['1', '2']);
});

test('A list that is refused is told again', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const line = new Line();
    line.refusals = 1;
    const watch = new Watch(line, new Store());
    watch.set('sidebar', ['1']);
    line.become('live');
    await new Promise(setImmediate);
    context.mock.timers.tick(5000);
    assert.deepEqual(line.asked, [['1'], ['1']]);
});

test('Presence is forgotten while nothing is told', () => {
    const store = new Store(), line = new Line();
    new Watch(line, store);
    line.become('live');
    store.apply({ name: 'presence', data: { users: { 1: 'online' } } });
    assert.equal(store.isOnline('1'), 'online');
    line.become('waiting');
    assert.equal(store.isOnline('1'), 'offline');
});
