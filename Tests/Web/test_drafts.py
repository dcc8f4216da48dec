"""Texts that wait to be sent, on all devices of their writer."""

import contextlib
import re

from playwright.sync_api import Error, expect
from test_losses import CUT, UNAUTHORISED
from test_story import home

DRAFT = re.compile(r"/draft$")
COMPOSER = "maru-room maru-composer textarea"
# A page takes a text up that an earlier page has left within the last minute. Opening it may take longer, so the text is as of now.
LEFT_NOW = """
if (location.protocol.startsWith('http')) {
    for (const name of Object.keys(localStorage).filter((each) => each.startsWith('maru.draft.'))) {
        localStorage.setItem(name, JSON.stringify({ ...JSON.parse(localStorage.getItem(name)), at: Date.now() }));
    }
}
"""


def saving(someone):
    return someone.page.expect_response(lambda reply: reply.url.endswith("/draft") and reply.ok)


def test_a_draft_waits_on_every_device(person):
    anna, _ = home(person)
    with saving(anna):
        anna.composer.fill("Half a thou")
    other = anna.open()
    expect(other.locator(COMPOSER)).to_have_value("Half a thou")


def test_the_list_of_rooms_tells_screen_readers_of_drafts_and_muted_rooms(person):
    anna, _ = home(person)
    anna.create_channel("Other")
    anna.enter("일반")
    with saving(anna):
        anna.composer.fill("Half a thou")
    anna.page.get_by_role("button", name="Details").click()
    anna.page.get_by_role("radio", name="Nothing").check()
    row = anna.page.locator("maru-sidebar a.side-row", has_text="일반")
    expect(row).to_have_attribute("aria-label", "일반, muted")
    anna.enter("Other")
    expect(row).to_have_attribute("aria-label", "일반, muted, draft")


def test_a_draft_is_stored_although_its_page_is_left_at_once(person):
    anna, _ = home(person)
    anna.create_channel("Other")
    phone = person(name="Anna")
    phone.email = anna.email
    phone.sign_in()
    phone.enter("Other")
    phone.connected()
    anna.enter("일반")
    anna.composer.fill("Half a thou")
    anna.page.goto("about:blank")
    expect(phone.page.locator("maru-sidebar a.side-row", has_text="일반").locator(".draft")).to_be_visible()
    phone.enter("일반")
    expect(phone.composer).to_have_value("Half a thou")


def ends_at_once(someone):
    """Ends the page without a last request. A page that goes away in order would send its drafts."""
    someone.context.add_init_script(LEFT_NOW)
    with someone.page.expect_event("crash"), contextlib.suppress(Error):
        someone.page.goto("chrome://crash")


def is_stored(page):
    page.wait_for_function("() => !Object.keys(localStorage).some((name) => name.startsWith('maru.draft.'))")


def test_a_page_shows_the_draft_of_an_earlier_page_that_the_server_has_not_got(person):
    anna, _ = home(person)
    anna.expected += CUT
    lost = []
    anna.page.route(DRAFT, lambda route: lost.append(route.abort()))
    anna.composer.fill("Half a thou")
    anna.until(lambda: lost)
    ends_at_once(anna)
    other = anna.open()
    expect(other.locator(COMPOSER)).to_have_value("Half a thou")
    is_stored(other)
    other.reload()
    expect(other.locator(COMPOSER)).to_have_value("Half a thou")


def test_a_text_that_was_sent_as_its_page_ended_is_no_draft_of_the_next_page(person):
    anna, _ = home(person)
    anna.expected += CUT
    with saving(anna):
        anna.composer.fill("Good morning")
    lost = []
    anna.page.route(DRAFT, lambda route: lost.append(route.abort()))
    anna.composer.press("Enter")
    anna.sent("Good morning")
    anna.until(lambda: lost)
    ends_at_once(anna)
    other = anna.open()
    expect(other.locator(".message", has_text="Good morning")).to_be_visible()
    is_stored(other)
    other.reload()
    expect(other.locator(".message", has_text="Good morning")).to_be_visible()
    expect(other.locator(COMPOSER)).to_have_value("")


def test_a_sign_out_leaves_no_draft_in_the_browser(person):
    anna, _ = home(person)
    anna.expected += CUT + UNAUTHORISED
    lost = []
    anna.page.route(DRAFT, lambda route: lost.append(route.abort()))
    anna.composer.fill("Half a thou")
    anna.until(lambda: lost)
    assert "Half a thou" in anna.page.evaluate("JSON.stringify(localStorage)")
    anna.menu("Sign out")
    expect(anna.page.locator("maru-gate form")).to_be_visible()
    assert "Half a thou" not in anna.page.evaluate("JSON.stringify(localStorage)")


def test_an_edit_leaves_the_draft_as_it_was(person):
    anna, ben = home(person)
    anna.say("Good mornin")
    anna.sent("Good mornin")
    with saving(anna):
        anna.composer.fill("Half a thou")
    anna.choose("Good mornin", "Edit")
    expect(anna.composer).to_have_value("Good mornin")
    anna.composer.fill("Good morning")
    anna.composer.press("Enter")
    ben.sees("Good morning")
    expect(anna.composer).to_have_value("Half a thou")


def test_an_edit_goes_on_after_its_room_was_left(person):
    anna, ben = home(person)
    anna.create_channel("Other")
    anna.enter("일반")
    anna.say("Good mornin")
    anna.sent("Good mornin")
    with saving(anna):
        anna.composer.fill("Half a thou")
    anna.choose("Good mornin", "Edit")
    anna.composer.fill("Good morning")
    anna.enter("Other")
    expect(anna.composer).to_have_value("")
    anna.enter("일반")
    expect(anna.composer).to_have_value("Good morning")
    anna.composer.press("Enter")
    ben.sees("Good morning")
    expect(anna.composer).to_have_value("Half a thou")


def test_a_reply_that_was_sent_is_no_draft_any_more(person):
    anna, _ = home(person)
    anna.say("Where do we eat?")
    anna.sent("Where do we eat?")
    panel = anna.open_thread("Where do we eat?")
    with saving(anna):
        panel.locator("textarea").fill("At the market")
    with saving(anna):
        panel.locator("textarea").press("Enter")
    expect(panel.locator(".message:not(.pending)", has_text="At the market")).to_have_count(1)
    anna.page.reload()
    anna.message("Where do we eat?").locator(".replies").click()
    expect(panel.locator(".message")).to_have_count(2)
    expect(panel.locator("textarea")).to_have_value("")


def test_a_draft_that_goes_on_elsewhere_is_not_taken_back(person):
    anna, _ = home(person)
    anna.create_channel("Other")
    anna.enter("일반")
    anna.connected()
    with saving(anna):
        anna.composer.fill("Half a thou")
    phone = person(name="Anna")
    phone.email = anna.email
    phone.sign_in()
    phone.enter("일반")
    expect(phone.composer).to_have_value("Half a thou")
    lists = []
    anna.page.on("response", lambda reply: lists.append(reply) if re.search(r"/rooms\?", reply.url) else None)
    with saving(phone):
        phone.composer.fill("Half a thought about lunch")
    # The list may have been read for another reason before.
    anna.until(lambda: any("about lunch" in each.text() for each in lists))
    anna.enter("Other")
    anna.enter("일반")
    expect(anna.composer).to_have_value("Half a thought about lunch")


def test_a_draft_of_another_device_is_not_put_under_the_cursor(person):
    anna, _ = home(person)
    anna.create_channel("Other")
    anna.enter("일반")
    with saving(anna):
        anna.composer.fill("Half a thou")
    anna.enter("Other")
    anna.enter("일반")
    expect(anna.composer).to_have_value("Half a thou")
    anna.composer.focus()
    anna.connected()
    phone = person(name="Anna")
    phone.email = anna.email
    phone.sign_in()
    for name, text in (("일반", "Half a thought about lunch"), ("Other", "Another one")):
        phone.enter(name)
        with saving(phone):
            phone.composer.fill(text)
    # The list of rooms that brings the second draft has the first one, too.
    expect(anna.page.locator("maru-sidebar a.side-row", has_text="Other").locator(".draft")).to_be_visible()
    expect(anna.composer).to_have_value("Half a thou")
    anna.enter("Other")
    anna.enter("일반")
    expect(anna.composer).to_have_value("Half a thought about lunch")


def test_a_draft_that_the_server_refuses_for_a_moment_is_stored_later(person):
    anna, _ = home(person)
    anna.expected += [r"status of 503"]
    refused = []

    def refuse(route):
        refused.append(route)
        route.fulfill(status=503, body='{"errorCode":"E99","status":503}', content_type="application/problem+json")

    anna.page.route(DRAFT, lambda route: route.fallback() if refused else refuse(route))
    saved = []
    anna.page.on("response", lambda reply: saved.append(reply) if reply.url.endswith("/draft") and reply.ok else None)
    anna.composer.fill("Half a thou")
    # The page tries again after some seconds, which are not to be counted by the clock of a machine that may stand still.
    anna.until(lambda: saved)
    assert len(refused) == 1


def test_a_text_that_was_sent_offline_is_no_draft_afterwards(person):
    anna, _ = home(person)
    anna.expected += CUT
    anna.create_channel("Other")
    anna.enter("일반")
    with saving(anna):
        anna.composer.fill("From the tunnel")
    anna.context.set_offline(True)
    anna.composer.press("Enter")
    expect(anna.page.locator(".notice.offline")).to_be_visible()
    with saving(anna):
        anna.context.set_offline(False)
    anna.sent("From the tunnel")
    anna.connected()
    anna.enter("Other")
    anna.enter("일반")
    expect(anna.composer).to_have_value("")


def test_a_draft_that_another_tab_has_sent_goes(person):
    anna, _ = home(person)
    with saving(anna):
        anna.composer.fill("Half a thou")
    other = anna.open("/" + anna.page.url.split("/", 3)[3])
    text = other.locator(COMPOSER)
    expect(text).to_have_value("Half a thou")
    with saving(anna):
        anna.composer.press("Enter")
    expect(text).to_have_value("")


def test_a_text_in_a_room_that_was_left_offline_is_stored_once_the_network_is_back(person):
    anna, _ = home(person)
    anna.expected += CUT
    anna.create_channel("Other")
    anna.enter("일반")
    anna.connected()
    anna.context.set_offline(True)
    expect(anna.page.locator(".notice.offline")).to_be_visible()
    anna.composer.fill("Half a thou")
    anna.enter("Other")
    with saving(anna):
        anna.context.set_offline(False)
    anna.connected()
    anna.page.reload()
    anna.enter("일반")
    expect(anna.composer).to_have_value("Half a thou")


def test_an_older_text_of_one_tab_does_not_replace_a_newer_one_of_another(person):
    anna, _ = home(person)
    anna.expected += [r"status of 503"]
    anna.create_channel("Other")
    anna.enter("일반")
    other = anna.open("/" + anna.page.url.split("/", 3)[3])
    text = other.locator(COMPOSER)
    expect(text).to_be_visible()
    refused, written = [], []

    def refuse(route):
        refused.append(route)
        route.fulfill(status=503, body='{"errorCode":"E99","status":503}', content_type="application/problem+json")

    anna.page.route(DRAFT, refuse)
    anna.composer.fill("Older")
    anna.until(lambda: refused)
    # The first tab hears of it, and reads the rooms.
    with anna.page.expect_response(re.compile(r"/rooms\?")), other.expect_response(lambda reply: reply.url.endswith("/draft") and reply.ok):
        text.fill("Newer")
    anna.page.unroute(DRAFT)
    anna.page.on("request", lambda request: written.append(request.post_data) if request.url.endswith("/draft") else None)
    # The first tab stores its texts, as every tab does that is left.
    anna.page.evaluate("() => dispatchEvent(new Event('pagehide'))")
    expect(anna.composer).to_have_value("Older")
    anna.enter("Other")
    with saving(anna):
        anna.composer.fill("Elsewhere")
    assert len(written) == 1 and "Elsewhere" in written[0]
    expect(text).to_have_value("Newer")
    anna.enter("일반")
    expect(anna.composer).to_have_value("Newer")


def test_a_tab_that_has_stored_its_text_leaves_a_newer_one_of_another_tab_in_the_browser(person):
    anna, _ = home(person)
    anna.expected += CUT
    other = anna.open("/" + anna.page.url.split("/", 3)[3])
    text = other.locator(COMPOSER)
    expect(text).to_be_visible()
    replies = anna.hold_first(DRAFT)
    anna.composer.fill("Older")
    anna.until(lambda: replies)
    lost = []
    other.route(DRAFT, lambda route: lost.append(route.abort()))
    text.fill("Newer")
    anna.until(lambda: lost)
    # The first tab tells the others that the server has its text.
    with other.expect_response(re.compile(r"/rooms\?")):
        replies[0]()
    anna.context.add_init_script(LEFT_NOW)
    third = anna.open("/" + anna.page.url.split("/", 3)[3])
    expect(third.locator(COMPOSER)).to_have_value("Newer")
    expect(text).to_have_value("Newer")
