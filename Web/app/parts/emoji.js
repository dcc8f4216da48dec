import { h, hasMouse } from '../dom.js';
import { currentLanguage, t } from '../i18n.js';
import { app } from '../state.js';
import { openPopup } from './menu.js';

/** The offered emoji with the words that find them. */
const EMOJI = `👍 좋아요 up yes|❤️ 하트 사랑 heart love|😂 웃음 laugh joy|🎉 축하 party tada|🙏 감사 부탁 thanks please|👀 눈 확인 eyes look|✅ 완료 체크 check done|🔥 불 fire hot
😀 웃음 smile grin|😄 활짝 happy|😊 미소 blush|😉 윙크 wink|😍 사랑 love eyes|🤩 반함 star|😎 멋짐 cool|🤔 생각 think|😅 땀 sweat|😭 눈물 cry sob|😢 슬픔 sad|😡 화남 angry|😱 놀람 scream|😴 잠 sleep|🤯 충격 mind blown|🥳 파티 party face|🤗 포옹 hug|🙄 어이없음 eye roll|😬 난감 grimace|🤝 악수 deal shake
👏 박수 clap|🙌 만세 hands|💪 힘 strong|👋 안녕 wave hello|👌 오케이 ok|✌️ 브이 peace|🤞 행운 luck|👎 싫어요 down no|🙇 인사 bow|🤷 글쎄 shrug|🫡 경례 salute|☝️ 손가락 point
⭐ 별 star|✨ 반짝 sparkles|💯 백점 hundred|💡 아이디어 idea|⚡ 번개 fast bolt|🚀 로켓 rocket ship|🐛 버그 bug|🔧 수리 fix|📌 고정 pin|📎 클립 clip|📅 달력 calendar|⏰ 알람 clock|🎯 목표 target|🏆 우승 trophy|🎂 케이크 birthday cake|☕ 커피 coffee|🍺 맥주 beer|🍕 피자 pizza|🍚 밥 rice|🍜 라면 noodles|🌸 꽃 flower|🌈 무지개 rainbow|☀️ 해 sun|🌙 달 moon|❄️ 눈 snow|🐶 강아지 dog|🐱 고양이 cat|🐯 호랑이 tiger|❌ 취소 no cross|⚠️ 주의 warning|❓ 질문 question|❗ 느낌표 bang|💔 이별 broken|💜 보라 purple|💙 파랑 blue|💚 초록 green|🇰🇷 한국 korea`
    .split(/[|\n]/)
    .map((line) => ({ emoji: line.split(' ')[0], words: line.toLowerCase() }));

/** The words for an emoji in the language of the page; all of them if it has none. */
function nameOf(words) {
    const all = words.split(' ').slice(1);
    const own = all.filter((each) => /[가-힣]/.test(each) === (currentLanguage() === 'ko'));
    return (own.length ? own : all).join(' ');
}

export const QUICK = ['👍', '❤️', '😂'];

/** Opens the emoji picker; the ones used last come first. */
export function pickEmoji(anchor, label, choose) {
    const recent = (app.get('emoji') ?? '').split(' ').filter(Boolean);
    const ordered = [...recent.map((emoji) => EMOJI.find((each) => each.emoji === emoji)).filter(Boolean), ...EMOJI.filter((each) => !recent.includes(each.emoji))];
    const grid = h('div', { class: 'emoji-grid', role: 'group', 'aria-label': label });
    const find = h('input', { class: 'input', type: 'search', placeholder: t('emoji.search'), 'aria-label': t('emoji.search') });
    const show = () => {
        const words = find.value.trim().toLowerCase();
        grid.replaceChildren(...ordered.filter((each) => each.words.includes(words)).map(({ emoji, words: each }) =>
            h('button', {
                type: 'button', 'aria-label': `${emoji} ${nameOf(each)}`, title: nameOf(each),
                onclick: () => {
                    app.set('emoji', [emoji, ...recent.filter((each) => each !== emoji)].slice(0, 8).join(' '));
                    close();
                    choose(emoji);
                },
            }, emoji)));
    };
    const { menu, close } = openPopup(anchor, { class: 'emoji-pick', role: 'dialog', 'aria-label': label }, [find, grid]);
    find.addEventListener('input', show);
    menu.addEventListener('keydown', (event) => {
        // The keys of an input method are its own.
        if (event.isComposing || event.keyCode === 229) return;
        const buttons = [...grid.querySelectorAll('button')];
        if (event.key === 'Enter' && event.target === find) buttons[0]?.click();
        const place = buttons.indexOf(document.activeElement);
        const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 8, ArrowUp: -8 }[event.key];
        if (!step || (event.target === find && event.key !== 'ArrowDown')) return;
        event.preventDefault();
        (place < 0 ? buttons[0] : buttons[place + step] ?? (step === -8 ? find : null))?.focus();
    });
    show();
    // The keyboard of a screen would cover the emoji.
    (hasMouse() ? find : grid.querySelector('button')).focus();
}
