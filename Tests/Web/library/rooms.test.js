import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasKeyword, plain, preview } from '../../../Web/maru/rooms.js';

test('A list shows a text without the signs of its markup', () => {
    assert.equal(plain('See **this** and `that`, ~~not~~ 2 ** 3').text, 'See this and that, not 2 ** 3');
    assert.equal(preview({ content: 'Run:\n```\ndeploy/up\n```' }), 'Run: deploy/up');
    assert.equal(plain('').text, '');
});

test('Found parts move with the text', () => {
    const content = '오늘 **디자인 회의**는 `3시`';
    const marked = ([start, length], { text } = { text: content }) => text.slice(start, start + length);
    const ranges = [[5, 3], [9, 4], [content.indexOf('3시'), 2], [3, 2]];
    assert.deepEqual(ranges.map((each) => marked(each)), ['디자인', '회의**', '3시', '**']);
    const found = plain(content, ranges);
    assert.equal(found.text, '오늘 디자인 회의는 3시');
    assert.deepEqual(found.ranges.map((each) => marked(each, found)), ['디자인', '회의', '3시']);
});

test('A list names the people that a text mentions by id', () => {
    const content = '**<@12>** and <@34>, the plan';
    const { text, ranges } = plain(content, [[content.indexOf('plan'), 4], [2, 5]], (id) => ({ 12: 'Anna' })[id]);
    assert.equal(text, '@Anna and <@34>, the plan');
    assert.deepEqual(ranges.map(([start, length]) => text.slice(start, start + length)), ['plan', '@Anna']);
    assert.equal(preview({ content }, () => 'Ben'), '@Ben and @Ben, the plan');
});

test('A Latin keyword is found as a whole word, and Hangul anywhere', () => {
    const found = (text) => ['cat', '배포', 'C++'].filter((each) => hasKeyword(text, [each]));
    assert.deepEqual(['The Cat sat', 'a category', '재배포가 끝났어요', 'cat은 자요', 'in C++, no cats', ''].map(found), [['cat'], [], ['배포'], ['cat'], ['C++'], []]);
});
