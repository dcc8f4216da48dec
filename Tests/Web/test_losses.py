"""The web client loses the network, the page or its session, and loses no message."""

import os
import re
import signal

import pytest
from person import PASSWORD, counter
from playwright.sync_api import expect
from rooms import fill_room
from test_story import PICTURE, home

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

# Keeps the page from learning which messages wait in its storage, until `takeUp` is called.
HOLD_OUTBOX = """
const { getAll } = IDBObjectStore.prototype;
IDBObjectStore.prototype.getAll = function (range) {
    const { transaction } = this;
    Object.defineProperty(transaction, 'oncomplete', { set: (done) => transaction.addEventListener('complete', () => { window.takeUp = done; }) });
    return getAll.call(this, range);
};
"""
SAVED = re.compile(r"/users/me/saved(\?|$)")
BUSY = {"status": 503, "body": '{"errorCode":"E99","status":503}', "content_type": "application/problem+json"}


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
    expect(anna.message("From the tunnel").locator(".status")).to_contain_text("Waiting for the network")
    anna.context.set_offline(False)
    anna.sent("From the tunnel")
    expect(anna.page.locator(".notice")).to_be_hidden()
    anna.page.reload()
    anna.sees("From the tunnel")


def test_a_message_that_comes_while_a_room_is_opened_is_shown(person):
    anna, ben = home(person)
    replies = ben.hold_first(re.compile(r"/v1/workspaces/\d+/channels/\d+/chats\?"))
    ben.page.reload()
    ben.until(lambda: replies)
    ben.connected()
    anna.say("Good morning")
    expect(ben.page.locator("maru-timeline [aria-live]")).to_contain_text("Good morning")
    replies[0]()
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


def test_an_empty_list_is_announced_once(person):
    anna = room(person)
    anna.expected += CUT
    anna.connected()
    anna.page.locator("[data-list=mentions]").click()
    note = anna.page.locator("maru-panel [role=status] p")
    expect(note).to_contain_text("Messages that mention you appear here.")
    note.evaluate("(each) => (window.announced = each)")
    anna.context.set_offline(True)
    expect(anna.page.locator(".notice.offline")).to_be_visible()
    with anna.page.expect_response(lambda reply: "/mentions" in reply.url and reply.ok):
        anna.context.set_offline(False)
    anna.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert anna.page.evaluate("announced.isConnected")


def test_a_list_shows_more_although_it_is_to_be_read_again_meanwhile(person):
    anna = room(person)
    for text in ("Plans", "Menu", "Lunch"):
        anna.say(text)
        anna.sent(text)
    for text in ("Plans", "Menu"):
        anna.tool(text, "save")
        expect(anna.message(text).locator(".labels")).to_contain_text("Saved")
    with anna.page.expect_response(SAVED) as reply:
        anna.page.locator("[data-list=saved]").click()
    items = reply.value.json()["items"]
    anna.page.locator("[data-list=saved]").click()
    held, released = [], []

    def one_a_page(route):
        is_second = "cursor=second" in route.request.url
        if is_second and not released:
            return held.append(route)
        return route.fulfill(json={"items": items[1:] if is_second else items[:1], "next": None if is_second else "second"})

    anna.keep_waiting()
    anna.page.route(SAVED, one_a_page)
    anna.page.locator("[data-list=saved]").click()
    found = anna.page.locator("maru-panel .hit")
    expect(found).to_have_count(1)
    anna.page.get_by_role("button", name="Show more").click()
    anna.until(lambda: held)
    anna.tool("Lunch", "save")
    expect(anna.message("Lunch").locator(".labels")).to_contain_text("Saved")
    # The page reads the list again after 300 ms. A later timer that is longer ends after that.
    anna.page.evaluate("new Promise((done) => setTimeout(done, 400))")
    released.append(True)
    for route in held:
        one_a_page(route)
    expect(found).to_have_count(2)


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
        expect(page.locator("maru-app")).to_contain_text("You will be signed out as soon as it answers.")
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


def test_a_sign_out_at_another_tab_ends_a_start_that_is_under_way(person):
    anna = room(person)
    anna.expected += UNAUTHORISED
    anna.context.add_init_script(HOLD_OUTBOX)
    other = anna.open("/" + anna.page.url.split("/", 3)[3])
    other.wait_for_function("() => !!window.takeUp")
    anna.menu("Sign out")
    for page in (anna.page, other):
        expect(page.locator("maru-gate form")).to_be_visible()
    # The start finds the session gone.
    other.evaluate("takeUp()")
    other.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    expect(other.locator("maru-gate form")).to_be_visible()


def test_a_sign_in_at_another_tab_outlasts_a_sign_out_that_ends_later(person):
    anna, ben = room(person), person(name="Ben").join()
    anna.expected += [*UNAUTHORISED, r"status of 503"]
    other = anna.open()
    expect(other.locator("maru-shell")).to_be_visible()
    busy = {"status": 503, "headers": {"Retry-After": "600"}, "body": '{"errorCode":"E99","status":503}'}
    anna.page.route("**/users/logout*", lambda route: route.fulfill(content_type="application/problem+json", **busy))
    anna.menu("Sign out")
    expect(anna.page.locator("maru-app")).to_contain_text("You will be signed out as soon as it answers.")
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


def test_history_loads_backwards_without_a_jump(person, product):
    anna = room(person)
    fill_room(product, anna, 130)
    anna.page.reload()
    anna.sees("Line 129 of many")
    # In one step, so that no row arrives in between.
    scroll = """(element) => {
        element.scrollTop = 0;
        const row = element.querySelector('.message');
        return [row.dataset.seq, row.getBoundingClientRect().top];
    }"""
    seq, before = anna.page.locator("maru-room .scroller").evaluate(scroll)
    # An earlier page may be on its way already.
    expect(anna.page.locator("maru-room .message").first).not_to_have_attribute("data-seq", seq)
    # In one step, so that the row is not replaced in between.
    place = """(seq) => document.querySelector(`maru-room .message[data-seq="${seq}"]`).getBoundingClientRect().top"""
    assert abs(anna.page.evaluate(place, seq) - before) < 4


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

    def is_live():
        # Otherwise the page may wait for half a minute between attempts to connect, if the process was away for long.
        ben.page.evaluate("dispatchEvent(new Event('online'))")
        return ben.page.locator('maru-shell[data-connection="live"]').is_visible()

    ben.until(is_live, pause=1000)
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


def test_a_dialog_that_cannot_be_loaded_says_so_and_opens_once_the_network_is_back(person):
    anna = room(person)
    anna.expected += CUT
    anna.connected()
    anna.context.set_offline(True)
    expect(anna.page.locator(".notice.offline")).to_be_visible()
    anna.menu("Settings")
    anna.told("The server cannot be reached", bad=True)
    anna.context.set_offline(False)
    anna.connected()
    anna.menu("Settings")
    expect(anna.page.get_by_role("dialog", name="Settings")).to_be_visible()


def test_a_picture_that_cannot_be_loaded_says_so(person):
    anna = room(person)
    anna.expected += CUT
    anna.page.set_input_files("maru-composer input[type=file]", [{"name": "view.png", "mimeType": "image/png", "buffer": PICTURE}])
    anna.composer.press("Enter")
    thumb = anna.page.locator("maru-room .message:not(.pending) .thumb")
    # The picture has its previews.
    expect(thumb.locator("canvas.blur")).to_have_count(1)
    expect(thumb.locator("img.shown")).to_be_visible()
    anna.page.route(re.compile(r"/v1/static/[^?]*\?.*size=medium"), lambda route: route.abort())
    thumb.click()
    dialog = anna.page.get_by_role("dialog", name="Picture")
    expect(dialog).to_contain_text("The picture could not be loaded.")
    anna.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


def test_newer_messages_that_cannot_be_loaded_say_so_below_the_last_one(person, product):
    anna = room(person)
    anna.expected += [r"status of 503"]
    fill_room(product, anna, 300)
    anna.page.reload()
    anna.sees("Line 299 of many")
    anna.page.evaluate("location.hash += '/100'")
    expect(anna.page.locator('maru-room .message[data-seq="100"]')).to_be_in_viewport()
    newer = re.compile(r"after_seq=")
    anna.page.route(newer, lambda route: route.fulfill(**BUSY))
    scroller = anna.page.locator("maru-room .scroller")
    retry = anna.page.locator("maru-room").get_by_role("button", name="Try again")

    def is_told():
        # In two steps, so that each call scrolls.
        scroller.evaluate("(each) => { each.scrollTop -= 5; }")
        scroller.evaluate("(each) => { each.scrollTop = each.scrollHeight; }")
        return retry.count()

    anna.until(is_told)
    scroller.evaluate("(each) => { each.scrollTop = each.scrollHeight; }")
    expect(retry).to_be_in_viewport()
    anna.page.unroute(newer)
    retry.click()
    anna.sees("Line 170 of many")
    expect(retry).to_have_count(0)


def test_the_newest_messages_that_cannot_be_loaded_say_so_on_the_screen(person, product):
    anna = room(person)
    anna.expected += [r"status of 503"]
    fill_room(product, anna, 300)
    anna.page.reload()
    anna.sees("Line 299 of many")
    # Their page is longer than the one that is on the screen before.
    for number in range(6):
        anna.say("\n".join([f"Tall {number}"] + ["and more"] * 30))
        anna.sent(f"Tall {number}")
    anna.page.evaluate("location.hash += '/100'")
    expect(anna.page.locator('maru-room .message[data-seq="100"]')).to_be_in_viewport()
    newest = re.compile(r"before_seq=9007199254740991")
    anna.page.route(newest, lambda route: route.fulfill(**BUSY))
    anna.page.locator(".to-end").click()
    retry = anna.page.locator("maru-room").get_by_role("button", name="Try again")
    expect(retry).to_be_in_viewport()
    anna.page.unroute(newest)
    retry.click()
    expect(anna.message("Tall 5")).to_be_in_viewport()


def jumper(product, anna):
    """Fills the room with a long past and returns a jump to a message of it."""
    fill_room(product, anna, 300)
    anna.page.reload()
    anna.sees("Line 299 of many")
    address = anna.page.url.split("#")[1]

    def jump(seq):
        anna.page.evaluate("(place) => { location.hash = place; }", f"{address}/{seq}")
        expect(anna.page.locator(f'maru-room .message[data-seq="{seq}"]')).to_be_in_viewport()

    return jump


def test_a_jump_stays_where_it_is_if_the_newest_messages_come_after_it(person, product):
    anna = room(person)
    jump = jumper(product, anna)
    jump(100)
    newest, held = re.compile(r"before_seq=9007199254740991"), []
    anna.keep_waiting()
    anna.page.route(newest, lambda route: held.append(route))
    anna.page.locator(".to-end").click()
    anna.until(lambda: held)
    jump(20)
    with anna.page.expect_response(newest) as reply:
        held[0].continue_()
    reply.value.finished()
    # The page has had its time for the reply.
    anna.page.evaluate("fetch('/').then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))")
    expect(anna.page.locator('maru-room .message[data-seq="20"]')).to_be_in_viewport()


def test_a_jump_ends_the_tries_for_the_newest_messages(person, product):
    anna = room(person)
    anna.expected += [r"status of 503"]
    jump = jumper(product, anna)
    jump(100)
    anna.page.route(re.compile(r"before_seq=9007199254740991"), lambda route: route.fulfill(**BUSY))
    anna.page.locator(".to-end").click()
    retry = anna.page.locator("maru-room").get_by_role("button", name="Try again")
    expect(retry).to_be_in_viewport()
    # A page that is still tried again would replace that of the jump once it can be loaded.
    jump(20)
    expect(retry).to_have_count(0)


def test_a_thread_in_a_room_that_is_gone_says_so(person):
    anna = room(person)
    author = {"user_id": "7", "email": "", "nickname": "Ben", "profileImage": None}
    said = {"seq": 2, "content": "At noon", "createdAt": "2026-01-02T03:04:05.678Z", "files": []}
    reply = {**said, "user": author, "thread": {"root": 1}}
    page = {"items": [{"room": "channel-987654321", "message": reply}], "next": None}
    anna.page.route(re.compile(r"/users/me/saved"), lambda route: route.fulfill(json=page))
    anna.page.locator("[data-list=saved]").click()
    anna.page.locator("maru-list .hit").click()
    expect(anna.page.locator("maru-thread")).to_contain_text("This no longer exists, or you may not see it.")


def test_a_list_that_cannot_be_loaded_is_tried_again(person):
    anna = room(person)
    anna.expected += [r"status of 503"]
    anna.say("Here I am")
    anna.sent("Here I am")
    panel = anna.page.locator("maru-panel")
    retry = panel.get_by_role("button", name="Try again")
    calls = re.compile(r"/mentions|/search\?")
    anna.page.route(calls, lambda route: route.fulfill(**BUSY))
    anna.page.locator("[data-list=mentions]").click()
    expect(retry).to_be_visible()
    anna.page.unroute(calls)
    retry.click()
    expect(panel).to_contain_text("Messages that mention you appear here.")
    anna.page.locator(".room-head").get_by_role("button", name="Search").click()
    anna.search("Here I am", "Here I am")
    anna.page.route(calls, lambda route: route.fulfill(**BUSY))
    panel.locator("input").fill("Here")
    expect(retry).to_be_visible()
    anna.page.unroute(calls)
    retry.click()
    expect(retry).to_have_count(0)
    expect(panel.locator(".hit")).to_contain_text("Here I am")


def test_a_message_that_is_tried_again_leaves_a_jump_where_it_is(person):
    anna = room(person)
    anna.expected += [r"status of 503"]
    # Few enough to be held as a whole, and more than a screen.
    for number in range(40):
        anna.say(f"Line {number}")
    anna.sent("Line 39")
    seq, address = anna.message("Line 0").get_attribute("data-seq"), anna.page.url.split("#")[1]
    tries = []

    def refuse(route):
        if route.request.method != "POST":
            return route.fallback()
        tries.append(route)
        return route.fulfill(**BUSY)

    anna.page.route(re.compile(r"/chats$"), refuse)
    anna.say("Not yet")
    anna.until(lambda: tries)
    anna.create_channel("Other")
    anna.page.evaluate(f"location.hash = '{address}/{seq}'")
    expect(anna.message("Line 0")).to_be_in_viewport()
    before = len(tries)

    def is_tried():
        # The page ends its wait, as it does once there is a network.
        anna.page.evaluate("dispatchEvent(new Event('online'))")
        return len(tries) > before

    anna.until(is_tried)
    anna.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    expect(anna.message("Line 0")).to_be_in_viewport()
