import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Timeline } from '../../../Web/maru/timeline.js';

const message = (seq, rev = 0) => ({ seq, rev });
const seqs = (timeline) => timeline.messages.map((each) => each.seq);

test('A timeline keeps messages in the order of seq, whatever the order of arrival', () => {
    const timeline = new Timeline();
    timeline.open([message(3), message(1)], { atStart: true, atEnd: true });
    assert.equal(timeline.take(message(5)), 'added');
    assert.equal(timeline.take(message(4)), 'added');
    assert.deepEqual(seqs(timeline), [1, 3, 4, 5]);
});

test('An older revision never replaces a newer one', () => {
    const timeline = new Timeline();
    timeline.open([message(1, 7)], { atStart: true, atEnd: true });
    assert.equal(timeline.take(message(1, 6)), 'ignored');
    assert.equal(timeline.take(message(1, 8)), 'changed');
    assert.equal(timeline.get(1).rev, 8);
});

test('A window in the past takes changes and no live messages', () => {
    const timeline = new Timeline();
    timeline.open([message(10), message(11)], { atStart: false, atEnd: false });
    assert.equal(timeline.take(message(40)), 'ignored');
    assert.equal(timeline.take(message(11, 2)), 'changed');
    timeline.append([message(11), message(12)], true);
    assert.deepEqual(seqs(timeline), [10, 11, 12]);
});

test('A page of older messages overlaps without a repeat', () => {
    const timeline = new Timeline();
    timeline.open([message(10), message(11)], { atStart: false, atEnd: true });
    timeline.prepend([message(8), message(9), message(10)], false);
    assert.deepEqual(seqs(timeline), [8, 9, 10, 11]);
    assert.equal(timeline.take(message(3)), 'ignored', 'a message before the window would leave a hole');
});

test('A window that is scrolled stays short and says which ends it lost', () => {
    const timeline = new Timeline();
    timeline.open([5, 6, 7, 8].map((seq) => message(seq)), { atStart: false, atEnd: true });
    timeline.prepend([3, 4].map((seq) => message(seq)), false, 4);
    assert.deepEqual([seqs(timeline), timeline.atEnd], [[3, 4, 5, 6], false]);
    timeline.append([7, 8].map((seq) => message(seq)), true, 4);
    assert.deepEqual([seqs(timeline), timeline.atStart, timeline.atEnd], [[5, 6, 7, 8], false, true]);
});

test('A trimmed timeline says that it does not hold the start', () => {
    const timeline = new Timeline();
    timeline.open([1, 2, 3, 4].map((seq) => message(seq)), { atStart: true, atEnd: true });
    timeline.trim(2);
    assert.deepEqual([seqs(timeline), timeline.atStart], [[3, 4], false]);
});

test('A timeline that grows by live messages forgets its oldest ones', () => {
    const timeline = new Timeline();
    timeline.open([message(1)], { atStart: true, atEnd: true });
    for (let seq = 2; seq <= 5000; seq += 1) timeline.take(message(seq));
    assert.deepEqual([timeline.messages.length, timeline.newest, timeline.atStart], [1000, 5000, false]);
});
