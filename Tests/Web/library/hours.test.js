import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isQuiet } from '../../../Web/maru/hours.js';

/** Whether an hour of the evening of one day, or of the next morning, in Seoul is quiet. */
const quiet = (time, from, to) => isQuiet({ from, to, zone: 'Asia/Seoul' }, new Date(`2026-11-28T${time}:00+09:00`));

test('Hours of one day are quiet from the first minute until before the last', () => {
    assert.deepEqual(['08:59', '09:00', '17:59', '18:00'].map((time) => quiet(time, '09:00', '18:00')), [false, true, true, false]);
});

test('Hours over midnight are quiet on both sides of it', () => {
    assert.deepEqual(['21:59', '22:00', '00:00', '06:59', '07:00'].map((time) => quiet(time, '22:00', '07:00')), [false, true, true, true, false]);
});

test('Without hours nothing is quiet', () => assert.equal(isQuiet(null), false));
