import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Api } from '../../../Web/maru/http.js';

test('An upload that was cancelled before it is sent is not sent', async () => {
    const api = new Api({ base: 'http://maru.test', key: 'native' });
    const made = [];
    api.XHR = class {
        upload = {};
        constructor() { made.push(this); }
    };
    const cancelled = api.post('/files', 'a', { signal: AbortSignal.abort(), progress() {}, open: true });
    await assert.rejects(cancelled, { name: 'AbortError' });
    assert.equal(made.length, 0);
});
