"""Texts that wait to be sent, on all devices of their writer."""

import re

from playwright.sync_api import expect
from test_losses import CUT
from test_story import home


def saving(someone):
    return someone.page.expect_response(lambda reply: reply.url.endswith("/draft") and reply.ok)


def test_a_draft_waits_on_every_device(person):
    anna, _ = home(person)
    with saving(anna):
        anna.composer.fill("Half a thou")
    other = anna.open()
    expect(other.locator("maru-room maru-composer textarea")).to_have_value("Half a thou")


def test_a_draft_is_stored_although_its_page_is_left_at_once(person):
    anna, _ = home(person)
    address = anna.page.url
    anna.composer.fill("Half a thou")
    anna.page.goto("about:blank")
    anna.page.goto(address)
    expect(anna.page.locator("maru-room maru-composer textarea")).to_have_value("Half a thou")


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
    with anna.page.expect_response(re.compile(r"/rooms\?")), saving(phone):
        phone.composer.fill("Half a thought about lunch")
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

    anna.page.route(re.compile(r"/draft$"), lambda route: route.fallback() if refused else refuse(route))
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
    text = other.locator("maru-room maru-composer textarea")
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
