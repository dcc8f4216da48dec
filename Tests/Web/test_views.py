"""Every view, in both themes: axe-core finds nothing against WCAG 2.2 AA, and a picture is kept for a person to look at."""

import pathlib
import re

import axe_playwright_python
import pytest
from person import counter
from playwright.sync_api import expect

AXE = pathlib.Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text()
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
        ("bans", lambda: workspace(page, "내보낸 뒤 막은 사람")),
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


def test_the_first_load_is_small_and_fast(person):
    anna = person(name="Anna")
    sizes = []
    page = anna.context.new_page()
    page.on("response", lambda reply: sizes.append(reply))
    page.goto(anna.product.base)
    expect(page.locator("maru-gate form")).to_be_visible()
    total = sum(reply.request.sizes()["responseBodySize"] + reply.request.sizes()["responseHeadersSize"] for reply in sizes)
    assert total < 150_000, f"{total} bytes"
