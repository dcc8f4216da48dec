"""Every view, in both themes: axe-core finds nothing against WCAG 2.2 AA, and a picture is kept for a person to look at."""

import pathlib
import re

import axe_playwright_python
import pytest
from person import PATIENCE, counter
from playwright.sync_api import expect

AXE = pathlib.Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text()
# As on a touch screen. A window of a test has a mouse.
TOUCH_SCREEN = """
const match = window.matchMedia.bind(window);
window.matchMedia = (query) => (query === '(hover: hover)' ? { matches: false } : match(query));
"""
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def audit(page):
    """Runs axe-core and returns its violations in one line each."""
    page.evaluate(AXE)
    found = page.evaluate("(tags) => axe.run(document, {runOnly: tags})", RULES)
    return [f"{each['id']}: {node['target']} {node['failureSummary']}" for each in found["violations"] for node in each["nodes"]]


@pytest.fixture
def look(screenshots):
    """Checks a view and keeps a picture of it."""

    found = []

    def check(someone, name):
        page = someone.page
        page.wait_for_function("() => document.getAnimations().every((each) => each.playState !== 'running')")
        page.screenshot(path=screenshots / f"{name}.png")
        found.extend(f"{name}: {each}" for each in audit(page))

    yield check
    assert not found, "\n".join(found)


def fill(anna, ben):
    """A room as a team leaves it."""
    anna.say("다들 좋은 아침이에요! 오늘 **디자인 회의**는 3시입니다.")
    anna.say("자료는 여기 있어요: https://example.com/plan")
    anna.sent("자료는 여기")
    ben.sees("자료는 여기")
    ben.say("확인했어요 @Anna 고마워요 🙏")
    ben.say("배포는 `deploy/up` 으로 합니다:\n```\ndeploy/up --detach\nopen http://127.0.0.1:8080\n```")
    ben.sent("배포는")
    anna.sees("배포는")
    anna.tool("배포는", "quick")
    ben.tool("다들 좋은", "quick")
    anna.say("> 배포는 deploy/up\n좋아요, 저녁에 해 볼게요.")
    anna.say("🎉")
    anna.sent("저녁에")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_view_is_accessible(person, look, theme):
    anna = person(name="Anna", locale="ko-KR", theme=theme)
    look(anna, f"gate-{theme}")
    anna.page.get_by_role("button", name=re.compile("계정 만들기")).click()
    look(anna, f"join-{theme}")
    anna.page.get_by_role("button", name="로그인으로 돌아가기").click()
    anna.join()
    look(anna, f"empty-{theme}")
    ben = person(name="Ben", locale="ko-KR", theme=theme).join()
    anna.create_workspace(f"마루 집 {next(counter)}")
    anna.invite(ben)
    ben.page.reload()
    anna.enter("일반")
    ben.enter("일반")
    fill(anna, ben)
    anna.create_channel("디자인", "화면과 글꼴 이야기")
    look(anna, f"begin-{theme}")
    anna.page.locator(".room-head").get_by_role("button", name="정보").click()
    anna.page.get_by_role("radio", name="받지 않음").check()
    expect(anna.page.locator("maru-sidebar a.muted", has_text="디자인")).to_be_visible()
    anna.page.get_by_role("button", name="패널 닫기").click()
    anna.enter("일반")
    look(anna, f"room-{theme}")

    page = anna.page
    for name, kind in (("details", "정보"), ("search", "검색"), ("pins", "고정됨")):
        page.locator(".room-head").get_by_role("button", name=kind).click()
        expect(page.locator("maru-panel")).to_be_visible()
        if kind == "검색":
            anna.search("디자인 회ㅇ", "디자인 회의")
            expect(page.locator(".hit")).to_have_count(1)
        look(anna, f"{name}-{theme}")
    page.keyboard.press("Escape")

    row = anna.message("배포는 deploy/up 으로")
    row.hover()
    row.locator("[data-action=react]").click()
    look(anna, f"emoji-{theme}")
    page.keyboard.press("Escape")
    row.hover()
    row.locator("[data-action=more]").click()
    look(anna, f"menu-{theme}")
    page.keyboard.press("Escape")

    anna.tool("다들 좋은", "reply")
    thread = page.locator("maru-thread textarea")
    thread.fill("3시에 2층 회의실에서 만나요.")
    thread.press("Enter")
    expect(page.locator("maru-thread .message:not(.pending)")).to_have_count(2)
    expect(anna.message("다들 좋은").first.locator(".replies")).to_be_visible()
    look(anna, f"thread-{theme}")
    page.keyboard.press("Escape")

    page.keyboard.press("Control+k")
    look(anna, f"switcher-{theme}")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="내 계정").click()
    look(anna, f"account-menu-{theme}")
    page.keyboard.press("Escape")
    page.locator(".side-title").click()
    look(anna, f"workspace-menu-{theme}")
    page.keyboard.press("Escape")
    for name, opener in (
        ("create-channel", lambda: page.get_by_role("button", name="채널 만들기", exact=True).click()),
        ("explore", lambda: page.get_by_role("button", name="채널 탐색").click()),
        ("people", lambda: page.get_by_role("button", name="대화 시작하기").click()),
        ("coins", lambda: page.get_by_role("button", name="코인").click()),
        ("profile", lambda: account(page, "내 프로필")),
        ("settings", lambda: account(page, "설정")),
        ("account", lambda: account(page, "계정과 보안")),
        ("devices", lambda: detail(page, "보기: 기기와 세션")),
        ("blocks", lambda: detail(page, "보기: 차단한 사람")),
        ("change-email", lambda: detail(page, "바꾸기: 이메일")),
        ("delete-account", lambda: detail(page, "삭제: 계정 삭제")),
        ("invite", lambda: workspace(page, "초대하기")),
        ("members", lambda: workspace(page, "멤버")),
        ("workspace", lambda: workspace(page, "워크스페이스 설정")),
        ("requests", lambda: workspace(page, "참여 요청")),
        ("bans", lambda: workspace(page, "입장 금지된 사람")),
        ("export", lambda: detail(page, "보기: 내 데이터 사본")),
        ("second-factor", lambda: detail(page, "보기: 2단계 인증")),
    ):
        opener()
        expect(page.locator("dialog[open]")).to_be_visible()
        look(anna, f"{name}-{theme}")
        page.keyboard.press("Escape")
        expect(page.locator("dialog[open]")).to_have_count(0)


def detail(page, item):
    account(page, "계정과 보안")
    page.get_by_role("dialog").get_by_role("button", name=item).click()


def workspace(page, item):
    page.locator(".side-title").click()
    page.get_by_role("menuitem", name=item).click()


def account(page, item):
    page.get_by_role("button", name="내 계정").click()
    page.get_by_role("menuitem", name=item).click()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_chat_fits_a_small_phone(person, look, theme):
    anna = person(name="Anna", locale="ko-KR", theme=theme, size=(360, 740)).join()
    anna.create_workspace(f"작은 집 {next(counter)}")
    look(anna, f"phone-list-{theme}")
    anna.enter("일반")
    anna.say("휴대전화에서도 잘 보여요. 긴 문장은 화면 너비에 맞게 줄이 바뀌고, 아무것도 잘리지 않습니다.")
    anna.sent("휴대전화")
    # iOS zooms into a field with smaller letters.
    expect(anna.composer).to_have_css("font-size", "16px")
    look(anna, f"phone-room-{theme}")
    assert anna.page.evaluate("document.documentElement.scrollWidth") == 360
    anna.page.get_by_role("button", name="정보").click()
    look(anna, f"phone-details-{theme}")
    anna.page.get_by_role("button", name="패널 닫기").click()
    anna.page.get_by_role("button", name="대화방 목록으로").click()
    expect(anna.page.locator("maru-sidebar")).to_be_visible()
    account(anna.page, "설정")
    look(anna, f"phone-settings-{theme}")
    anna.page.keyboard.press("Escape")
    anna.page.evaluate("location.hash = '#/987654'")
    expect(anna.page.get_by_role("button", name="참여 요청하기")).to_be_visible()
    look(anna, f"phone-outside-{theme}")
    assert anna.page.evaluate("document.documentElement.scrollWidth") == 360


def test_the_first_link_skips_to_the_main_part_of_a_page_without_messages(person):
    anna = person(name="Anna").join()
    anna.page.get_by_role("link", name="Skip to messages").press("Enter")
    expect(anna.page.locator("#main")).to_be_focused()
    anna.page.keyboard.press("Tab")
    expect(anna.page.get_by_role("main").get_by_role("button", name="Create a workspace")).to_be_focused()


def test_a_menu_that_is_higher_than_the_screen_scrolls(person):
    anna = person(name="Anna", size=(740, 320)).join()
    anna.create_workspace(f"Low house {next(counter)}")
    anna.page.locator(".side-title").click()
    item = anna.page.get_by_role("menuitem", name="Delete the workspace")
    item.scroll_into_view_if_needed()
    expect(item).to_be_in_viewport(ratio=1)


def test_a_tap_beside_a_dialog_closes_it_and_presses_nothing_below(person):
    anna = person(name="Anna", size=(360, 740), touch=True).join()
    anna.create_workspace(f"Small house {next(counter)}")
    page = anna.page
    page.get_by_role("button", name="Write to someone").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("status")).to_have_text("Nobody else is in this workspace yet.")
    page.evaluate("() => { window.clicked = []; addEventListener('click', ({ target }) => clicked.push(target.tagName), true); }")
    below = page.locator("maru-rail > button").bounding_box()
    page.touchscreen.tap(below["x"] + below["width"] / 2, below["y"] + below["height"] / 2)
    expect(dialog).to_have_count(0)
    page.wait_for_function("() => clicked.length > 0")
    assert page.evaluate("clicked") == ["DIALOG"]


def test_the_way_back_from_a_room_on_a_narrow_screen_ends_at_its_row(person):
    anna = person(name="Anna", size=(360, 740)).join()
    anna.create_workspace(f"Small house {next(counter)}")
    anna.create_channel("Plans")
    anna.page.get_by_role("button", name="Back to the rooms").press("Enter")
    row = anna.page.locator("maru-sidebar a.side-row", has_text="Plans")
    expect(row).to_be_focused()
    row.press("Enter")
    expect(anna.composer).to_be_focused()


def go_through_history(page, step):
    page.evaluate("(step) => history.go(step)", step)


def on_a_narrow_screen(person):
    """Someone in a room, with the list of rooms before it in the history."""
    anna = person(name="Anna", size=(360, 740)).join()
    anna.create_workspace(f"Small house {next(counter)}")
    anna.enter("일반")
    return anna


def test_back_on_a_narrow_screen_closes_what_lies_over_the_room(person):
    anna = on_a_narrow_screen(person)
    page, panel = anna.page, anna.page.locator("maru-panel.panel")
    page.get_by_role("button", name="Details").click()
    page.get_by_role("button", name="Edit the channel").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    go_through_history(page, -1)
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(panel).to_be_visible()
    go_through_history(page, -1)
    expect(panel).to_have_count(0)
    expect(anna.composer).to_be_visible()
    # Forward opens the panel again, and Back closes it as before.
    go_through_history(page, 1)
    expect(panel.get_by_role("heading", name="Details")).to_be_visible()
    go_through_history(page, -1)
    expect(panel).to_have_count(0)
    go_through_history(page, -1)
    expect(page.locator("maru-sidebar")).to_be_visible()
    expect(anna.composer).to_have_count(0)


def test_back_on_a_narrow_screen_passes_over_what_was_closed_by_its_button(person):
    anna = on_a_narrow_screen(person)
    page, panel = anna.page, anna.page.locator("maru-panel.panel")
    length = page.evaluate("history.length")
    for _ in range(3):
        page.get_by_role("button", name="Details").click()
        panel.get_by_role("button", name="Close the panel").click()
        expect(panel).to_have_count(0)
    # They share an entry.
    assert page.evaluate("history.length") == length + 1
    page.reload()
    expect(anna.composer).to_be_visible()
    go_through_history(page, -1)
    expect(page.locator("maru-sidebar")).to_be_visible()
    expect(anna.composer).to_have_count(0)


def test_back_on_a_narrow_screen_returns_from_a_found_message_to_the_search(person):
    anna = on_a_narrow_screen(person)
    page, panel = anna.page, anna.page.locator("maru-panel.panel")
    anna.say("Where do we eat?")
    anna.sent("Where do we eat?")
    page.locator("maru-room").get_by_role("button", name="Search").click()
    anna.search("we eat", "Where do we eat?")
    panel.locator(".hit").click()
    expect(panel).to_have_count(0)
    go_through_history(page, -1)
    expect(panel.locator("input")).to_have_value("we eat")
    expect(panel.locator(".hit")).to_have_count(1)
    go_through_history(page, -1)
    expect(panel).to_have_count(0)
    expect(anna.composer).to_be_visible()


# Closes the search before the pause after the last letter ends, and waits for longer than the pause.
CLOSE_EARLY = """() => new Promise((resolve) => {
    const input = document.querySelector('maru-search input');
    input.value = 'we eat';
    input.dispatchEvent(new Event('input'));
    document.querySelector('maru-panel .panel-head button').click();
    setTimeout(() => resolve(history.state), 400);
})"""


def test_a_search_that_is_closed_at_once_is_not_kept_for_back(person):
    anna = on_a_narrow_screen(person)
    anna.page.locator("maru-room").get_by_role("button", name="Search").click()
    expect(anna.page.locator("maru-search input")).to_be_focused()
    assert anna.page.evaluate(CLOSE_EARLY) == {"layers": 1}


def test_the_panel_on_a_phone_has_the_focus_and_hides_what_it_covers(person):
    anna = on_a_phone(person)
    anna.composer.fill("Where do we eat?")
    anna.page.get_by_role("button", name="Send", exact=True).click()
    anna.sent("Where do we eat?")
    panel = anna.open_thread("Where do we eat?")
    close = anna.page.get_by_role("button", name="Close the panel")
    expect(close).to_be_focused()
    expect(panel.get_by_role("textbox")).to_be_visible()
    covered = anna.page.locator("#main")
    expect(covered).to_have_js_property("inert", True)
    close.click()
    expect(covered).to_have_js_property("inert", False)
    expect(anna.message("Where do we eat?").locator("[data-action=reply]")).to_be_focused()


def test_a_long_name_of_a_room_ends_with_an_ellipsis(person):
    anna = person(name="Anna", size=(360, 740)).join()
    anna.create_workspace(f"Small house {next(counter)}")
    anna.create_channel("가나다라마바사아자차카타파하" * 2)
    # The part with the text has to be cut off, not the heading around it, which is a row of parts.
    cut = "(each) => each.scrollWidth > each.clientWidth && getComputedStyle(each).textOverflow === 'ellipsis'"
    anna.until(lambda: anna.title.locator("span").evaluate(cut))


def on_a_phone(person):
    anna = person(name="Anna", size=(360, 740)).join()
    anna.create_workspace(f"Small house {next(counter)}")
    anna.context.add_init_script(TOUCH_SCREEN)
    anna.page.reload()
    anna.enter("일반")
    return anna


def test_enter_begins_a_line_on_a_phone_and_the_button_leaves_its_keyboard_open(person):
    anna = on_a_phone(person)
    anna.composer.focus()
    anna.composer.press_sequentially("First")
    anna.composer.press("Enter")
    anna.composer.press_sequentially("Second")
    expect(anna.composer).to_have_value("First\nSecond")
    anna.page.get_by_role("button", name="Send", exact=True).click()
    anna.sent("First")
    expect(anna.composer).to_have_value("")
    # The keyboard closes with the focus.
    expect(anna.composer).to_be_focused()


def test_enter_sends_on_a_laptop_with_a_touch_screen(person):
    anna = person(name="Anna").join()
    anna.create_workspace(f"Small house {next(counter)}")
    # Its screen is the main device, and it has a mouse beside that.
    anna.context.add_init_script(TOUCH_SCREEN)
    anna.page.reload()
    anna.enter("일반")
    anna.say("Good morning")
    anna.sent("Good morning")


def test_the_emoji_are_shown_on_a_phone_without_its_keyboard(person):
    anna = on_a_phone(person)
    anna.page.get_by_role("button", name="Add an emoji").click()
    emoji = anna.page.locator(".emoji-grid button").first
    expect(emoji).to_be_focused()
    # It is found by Korean and English words, and has the name of one language.
    expect(emoji).to_have_attribute("aria-label", "👍 up yes")
    emoji.click()
    expect(anna.composer).to_have_value("👍")


def test_the_first_load_is_small(browser, product):
    replies = []
    # A browser that has nothing of an earlier visit.
    page = browser.new_page()
    page.set_default_timeout(4 * PATIENCE)
    page.on("response", lambda reply: replies.append(reply))
    page.goto(product.base)
    expect(page.locator("maru-gate form")).to_be_visible()
    page.wait_for_load_state("networkidle")
    total = sum(reply.request.sizes()["responseBodySize"] for reply in replies)
    page.context.close()
    assert 100_000 < total < 150_000, f"{total} bytes"
