"""The web client loses the network, the page or its session, and loses no message."""

import os
import re
import signal

import pytest
from person import PASSWORD, counter
from playwright.sync_api import expect
from test_story import home

CUT = ["Failed to load resource: net::", "WebSocket connection to"]
UNAUTHORISED = [r"status of 401"]
# A key while an input method composes. Returns once all listeners have had it.
COMPOSED = """([selector, key]) => document.querySelector(selector).dispatchEvent(
    new KeyboardEvent('keydown', { key, isComposing: true, bubbles: true, cancelable: true }))"""
KOREAN_K = """() => document.querySelector('maru-room textarea').dispatchEvent(
    new KeyboardEvent('keydown', { key: 'ㅏ', code: 'KeyK', ctrlKey: true, bubbles: true, cancelable: true }))"""
# A browser that fills in a field sends such an event.
WITHOUT_KEY = """() => document.querySelector('maru-room textarea').dispatchEvent(new Event('keydown', { bubbles: true }))"""
# Collects the messages of a sign-out between the tabs of the browser. A second channel of a page hears the first one, too.
SIGN_OUTS = """() => {
    window.signOuts = [];
    window.ear = new BroadcastChannel('maru');
    ear.onmessage = ({ data }) => data.signedOut && signOuts.push(data.signedOut);
}"""


def room(person):
    anna = person(name="Anna").join()
    anna.create_workspace(f"Quiet house {next(counter)}")
    anna.enter("일반")
    return anna


def test_a_message_that_is_being_sent_survives_a_reload_and_is_sent_once(person):
    anna = room(person)
    chats = re.compile(r"/v1/workspaces/\d+/channels/\d+/chats$")
    # The server takes the message, and no reply arrives before the reload: the page sends it again meanwhile.
    taken, reloaded = [], []

    def take(route):
        if route.request.method != "POST" or reloaded:
            return route.fallback()
        if not taken:
            taken.append(route.fetch().status)
        return route.abort()

    anna.expected += CUT
    anna.page.route(chats, take)
    anna.say("Only once")
    anna.until(lambda: taken)
    expect(anna.page.locator("maru-room .message.pending")).to_have_count(1)
    anna.page.reload()
    reloaded.append(True)
    anna.sent("Only once")
    assert taken == [201]


def in_a_tunnel(person):
    """Anna in her room, with a text that waits for the network."""
    anna = room(person)
    anna.expected += CUT
    anna.say("Before")
    anna.sent("Before")
    anna.context.set_offline(True)
    anna.say("From the tunnel")
    return anna


def test_a_text_written_offline_is_marked_and_sent_once_the_network_is_back(person):
    anna = in_a_tunnel(person)
    expect(anna.page.locator(".notice.offline")).to_be_visible()
    expect(anna.message("From the tunnel").locator(".status")).to_contain_text("Waits for the network")
    anna.context.set_offline(False)
    anna.sent("From the tunnel")
    expect(anna.page.locator(".notice")).to_be_hidden()
    anna.page.reload()
    anna.sees("From the tunnel")


def test_a_message_that_comes_while_a_room_is_opened_is_shown(person):
    anna, ben = home(person)
    history = re.compile(r"/v1/workspaces/\d+/channels/\d+/chats\?")
    held = []
    ben.page.route(history, lambda route: route.fallback() if held else held.append((route, route.fetch())))
    ben.page.reload()
    ben.until(lambda: held)
    ben.connected()
    anna.say("Good morning")
    expect(ben.page.locator("maru-timeline [aria-live]")).to_contain_text("Good morning")
    route, reply = held[0]
    route.fulfill(response=reply)
    ben.sees("Good morning")


def test_a_message_that_the_server_refuses_says_so_and_can_be_discarded(person):
    anna = room(person)
    anna.expected += [r"status of 400"]
    body = '{"errorCode":"E11","detail":"The message is too long.","status":400}'
    anna.page.route(
        re.compile(r"/chats$"),
        lambda route: route.fulfill(status=400, body=body, content_type="application/problem+json")
        if route.request.method == "POST"
        else route.fallback(),
    )
    anna.say("Too much")
    expect(anna.message("Too much").get_by_role("alert")).to_contain_text("Not sent: The message is too long.")
    anna.message("Too much").get_by_role("button", name="Discard").click()
    anna.sees("Too much", count=0)


def test_no_script_can_read_the_session_and_a_reload_takes_it_up(person):
    anna = room(person)
    anna.page.reload()
    expect(anna.title).to_contain_text("일반")
    found = anna.page.evaluate("JSON.stringify([document.cookie, {...localStorage}, {...sessionStorage}])")
    cookies = {each["name"]: each for each in anna.context.cookies()}
    refresh = cookies["maru_refresh"]
    assert refresh["httpOnly"] and refresh["sameSite"] == "Strict" and refresh["path"] == "/v1/auth"
    assert refresh["value"] not in found and "eyJ" not in found


def test_a_jump_without_a_network_says_so(person):
    anna = room(person)
    anna.expected += CUT
    anna.say("Here I am")
    anna.sent("Here I am")
    following = int(anna.message("Here I am").get_attribute("data-seq")) + 1
    anna.context.set_offline(True)
    anna.page.evaluate(f"location.hash += '/{following}'")
    anna.told("cannot be reached", bad=True)
    anna.sees("Here I am")
    # The jump is over: it does not take the focus once there is such a message.
    anna.context.set_offline(False)
    anna.connected()
    anna.say("Back again")
    anna.sent("Back again")
    expect(anna.message("Back again")).to_have_attribute("data-seq", str(following))
    expect(anna.composer).to_be_focused()


def test_signing_out_ends_the_session_of_every_tab(person):
    anna = room(person)
    anna.expected += UNAUTHORISED
    anna.page.get_by_role("button", name="Your account").click()
    anna.page.get_by_role("menuitem", name="Sign out").click()
    expect(anna.page.locator("maru-gate")).to_be_visible()
    assert "maru_refresh" not in {each["name"] for each in anna.context.cookies()}
    anna.sign_in()
    expect(anna.title).to_contain_text("일반")


def test_signing_out_offline_empties_the_screen_and_ends_the_session_once_the_network_is_back(person):
    anna = room(person)
    anna.expected += CUT + UNAUTHORISED
    anna.connected()
    other = anna.open("/" + anna.page.url.split("/", 3)[3])
    expect(other.locator('maru-shell[data-connection="live"]')).to_be_visible()
    anna.page.evaluate(SIGN_OUTS)
    anna.context.set_offline(True)
    anna.menu("Sign out")
    for page in (anna.page, other):
        expect(page.locator("maru-app")).to_contain_text("You are signed out as soon as it can be.")
        expect(page.locator("maru-shell, maru-gate")).to_have_count(0)
    expect(anna.page).to_have_title("Maru")
    with anna.context.expect_event("response", lambda reply: "/users/logout" in reply.url and reply.ok):
        anna.context.set_offline(False)
    for page in (anna.page, other):
        expect(page.locator("maru-gate")).to_be_visible()
    assert "maru_refresh" not in {each["name"] for each in anna.context.cookies()}
    # A tab that told it again could do so after the next sign-in.
    anna.page.wait_for_function("() => signOuts.length > 0")
    assert len(anna.page.evaluate("signOuts")) == 1
    anna.sign_in()
    expect(anna.title).to_contain_text("일반")


def test_a_sign_in_at_another_tab_outlasts_a_sign_out_that_ends_later(person):
    anna, ben = room(person), person(name="Ben").join()
    anna.expected += [*UNAUTHORISED, r"status of 503"]
    other = anna.open()
    expect(other.locator("maru-shell")).to_be_visible()
    busy = {"status": 503, "headers": {"Retry-After": "600"}, "body": '{"errorCode":"E99","status":503}'}
    anna.page.route("**/users/logout*", lambda route: route.fulfill(content_type="application/problem+json", **busy))
    anna.menu("Sign out")
    expect(anna.page.locator("maru-app")).to_contain_text("You are signed out as soon as it can be.")
    # The other tab ends the session, and Ben signs in there.
    expect(other.locator("maru-gate")).to_be_visible()
    other.locator("[name=email]").fill(ben.email)
    other.locator("[name=password]").fill(PASSWORD)
    other.locator("button[type=submit]").click()
    expect(other.locator("maru-shell")).to_be_visible()
    # The first tab would wait for ten minutes otherwise.
    anna.page.evaluate("dispatchEvent(new Event('online'))")
    expect(anna.page.locator("maru-shell")).to_be_visible()
    other.reload()
    expect(other.locator("maru-shell")).to_be_visible()


def test_the_keys_of_an_input_method_leave_panels_and_lists_as_they_are(person):
    anna = room(person)
    anna.say("안녕하세요")
    anna.sent("안녕하세요")
    panel = anna.open_thread("안녕하세요")
    expect(panel.locator("textarea")).to_be_visible()
    anna.page.evaluate(COMPOSED, ["maru-thread textarea", "Escape"])
    expect(panel.locator("textarea")).to_be_visible()
    anna.page.locator(".room-head").get_by_role("button", name="Search").click()
    anna.search("안녕", "안녕하세요")
    found, field = anna.page.locator("maru-search .hit").first, anna.page.locator("maru-search input")
    expect(found).to_be_visible()
    anna.page.evaluate(COMPOSED, ["maru-search input", "ArrowDown"])
    expect(field).to_be_focused()
    field.press("ArrowDown")
    expect(found).to_be_focused()


def test_the_switcher_opens_with_a_korean_keyboard(person):
    anna = room(person)
    anna.page.evaluate(WITHOUT_KEY)
    anna.page.evaluate(KOREAN_K)
    expect(anna.page.get_by_role("combobox")).to_be_focused()
    anna.page.keyboard.press("Escape")


def test_the_focus_stays_near_a_message_that_is_discarded(person):
    anna = in_a_tunnel(person)
    anna.message("From the tunnel").get_by_role("button", name="Discard").press("Enter")
    anna.sees("From the tunnel", count=0)
    expect(anna.message("Before")).to_be_focused()
    anna.context.set_offline(False)


def test_an_input_method_sends_only_with_an_enter_of_its_own(person):
    anna = room(person)
    anna.composer.focus()
    session = anna.context.new_cdp_session(anna.page)
    session.send("Input.imeSetComposition", {"text": "안녕", "selectionStart": 2, "selectionEnd": 2})
    # The Enter that ends a composition arrives as key code 229.
    session.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 229})
    session.send("Input.insertText", {"text": "안녕"})
    expect(anna.composer).to_have_value("안녕")
    anna.sees("안녕", count=0)
    anna.composer.press("Enter")
    anna.sent("안녕")


def test_text_of_a_message_is_never_markup(person):
    anna = room(person)
    anna.say('<img src=x onerror="alert(1)"> [a](javascript:alert(1)) javascript:alert(1)')
    row = anna.message("onerror")
    expect(row.locator(".text")).to_contain_text('<img src=x onerror="alert(1)">')
    expect(row.locator(".text img, .text a")).to_have_count(0)


def test_history_loads_backwards_without_a_jump(person):
    anna = room(person)
    for number in range(130):
        anna.say(f"Line {number}")
    anna.sent("Line 129")
    anna.page.reload()
    anna.sent("Line 129")
    # In one step, so that no row arrives in between.
    scroll = """(element) => {
        element.scrollTop = 0;
        const row = element.querySelector('.message');
        return [row.dataset.seq, row.getBoundingClientRect().top];
    }"""
    with anna.page.expect_response(lambda reply: "before_seq" in reply.url):
        seq, before = anna.page.locator("maru-room .scroller").evaluate(scroll)
    expect(anna.page.locator("maru-room .message").first).not_to_have_attribute("data-seq", seq)
    after = anna.page.locator(f'maru-room [data-seq="{seq}"]').evaluate("(row) => row.getBoundingClientRect().top")
    assert abs(after - before) < 4


def ended(product, process):
    """Kills a process of the product, which deploy/up starts again."""
    os.kill(int((product.data / f"run/{process}.pid").read_text().split()[0]), signal.SIGKILL)


@pytest.mark.parametrize("process", ["realtime-gateway", "redis"])
def test_nothing_is_lost_or_doubled_when_a_process_is_killed(person, product, process):
    anna, ben = person(name="Anna").join(), person(name="Ben").join()
    anna.create_workspace(f"Busy house {next(counter)}")
    anna.invite(ben)
    ben.page.reload()
    for each in (anna, ben):
        each.expected += [*CUT, "status of 50[023]", "status of 429"]
        each.enter("일반")
    for number in range(5):
        anna.say(f"Before {number}")
    ended(product, process)
    for number in range(5):
        anna.say(f"After {number}")
    for each in (anna, ben):
        for number in range(5):
            each.sees(f"Before {number}")
            each.sees(f"After {number}")
    expect(anna.page.locator(".pending")).to_have_count(0)
    expect(ben.page.locator('maru-shell[data-connection="live"]')).to_be_visible()
    ben.say("Still here")
    anna.sees("Still here")


def test_a_room_that_was_opened_offline_is_shown_once_the_network_is_back(person):
    anna = room(person)
    anna.expected += CUT
    anna.create_channel("Other")
    anna.say("Here I am")
    anna.sent("Here I am")
    anna.enter("일반")
    anna.page.reload()
    expect(anna.title).to_contain_text("일반")
    anna.connected()
    anna.context.set_offline(True)
    anna.enter("Other")
    expect(anna.page.locator("maru-room .scroller .empty")).to_be_visible()
    anna.context.set_offline(False)
    anna.connected()
    anna.sees("Here I am")
