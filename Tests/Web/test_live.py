"""Changes elsewhere show at once: presence, badges, and changes of rooms, workspaces, members and profiles."""

import itertools
import re

from person import counter
from playwright.sync_api import expect
from test_story import home
from waiting import eventually

# Counts how often the page sorts a long list.
COUNT_SORTS = """
window.longSorts = 0;
const { sort } = Array.prototype;
Array.prototype.sort = function (...order) {
    longSorts += this.length > 1000;
    return sort.apply(this, order);
};
"""
CHANNEL = re.compile(r"/v1/workspaces/\d+/channels/\d+$")


def rail(someone, name):
    return someone.page.locator("maru-rail").get_by_role("button", name=re.compile(f"^{re.escape(name)}"))


def switch_to(someone, name):
    """Goes to a workspace of the rail. Each one has a room of the same name, so that of the last one has to be gone."""
    rail(someone, name).click()
    expect(someone.page.locator(".side-title")).to_contain_text(name)


def workspace_name(someone):
    return someone.page.locator(".side-title span").inner_text()


def write_to(someone, name):
    """Opens a DM from the list of people."""
    someone.page.get_by_role("button", name="Write to someone").click()
    someone.page.get_by_role("dialog").get_by_role("button", name=f"Message {name}").click()
    expect(someone.title).to_contain_text(name)


def test_presence_is_shown_and_follows_the_other_person(person):
    anna, ben = home(person)
    write_to(anna, "Ben")
    dot = anna.page.locator("maru-sidebar .presence")
    sub = anna.page.locator(".room-title p")
    expect(sub).to_have_text("online")
    expect(dot).to_have_attribute("data-state", "online")

    # Ben closes the window, and opens another one.
    ben.page.close()
    expect(sub).to_have_text("offline")
    expect(dot).to_have_attribute("data-state", "offline")
    ben.page = ben.open()
    expect(sub).to_have_text("online")

    # A person without shared presence looks offline.
    ben.menu("Settings")
    ben.page.get_by_role("checkbox", name="Show others when I am online").uncheck()
    ben.page.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(sub).to_have_text("offline")


def test_the_details_of_a_channel_show_who_is_there(person):
    anna, ben = home(person)
    anna.page.get_by_role("button", name="Details").click()
    row = anna.page.locator("maru-details .person", has_text="Ben")
    expect(row.locator(".presence")).to_have_attribute("data-state", "online")
    expect(row).to_contain_text("online")
    carl = person(name="Carl").join()
    anna.invite(carl)
    expect(anna.page.locator("maru-details h3", has_text="3 members")).to_be_visible()
    expect(anna.page.locator(".room-title p")).to_contain_text("3 members")
    # The new member's page shows the workspace without a reload.
    carl.enter("일반")
    expect(anna.page.locator("maru-details .person", has_text="Carl").locator(".presence")).to_have_attribute("data-state", "online")
    carl.page.close()
    expect(anna.page.locator("maru-details .person", has_text="Carl").locator(".presence")).to_have_attribute("data-state", "offline")
    expect(row.locator(".presence")).to_have_attribute("data-state", "online")


def test_thousands_of_members_become_known_in_one_step(person):
    anna, _ = home(person)

    def enlarge(route):
        reply = route.fetch()
        channel = reply.json()
        some = [{"user_id": str(10**12 + n), "email": "", "nickname": f"Member {n}", "profileImage": None} for n in range(3000)]
        route.fulfill(response=reply, json={**channel, "channelMembers": channel["channelMembers"] + some})

    anna.page.route(CHANNEL, enlarge)
    anna.context.add_init_script(COUNT_SORTS)
    anna.page.reload()
    expect(anna.page.locator(".room-title p")).to_contain_text("3002 members")
    anna.say("Hello, all")
    anna.sent("Hello, all")
    # Each member in a step of its own would be thousands.
    assert anna.page.evaluate("longSorts") < 300


def test_an_author_outside_the_list_of_members_makes_the_page_read_it_once(person):
    anna, ben = home(person)
    asked = []

    def leave_out(route):
        reply = route.fetch()
        channel = reply.json()
        some = [each for each in channel["channelMembers"] if each["nickname"] != "Ben"]
        route.fulfill(response=reply, json={**channel, "channelMembers": some})

    anna.page.route(CHANNEL, leave_out)
    anna.page.reload()
    expect(anna.page.locator(".room-title p")).to_contain_text("1 member")
    anna.connected()
    # As the author of an incoming webhook.
    with anna.page.expect_response(lambda reply: CHANNEL.search(reply.url) and reply.ok):
        ben.say("One")
    anna.page.on("request", lambda call: asked.append(call) if CHANNEL.search(call.url) else None)
    for text in ("Two", "Three"):
        ben.say(text)
        ben.sent(text)
    expect(anna.page.locator("maru-room maru-timeline [aria-live]")).to_contain_text("Three")
    anna.page.evaluate("1")
    assert asked == []


def test_a_late_reply_does_not_bring_an_older_list_of_members_back(person):
    anna, _ = home(person)
    anna.page.get_by_role("button", name="Details").click()
    count, note = anna.page.locator("maru-details h3", has_text="members"), anna.page.locator(".room-title p")
    expect(count).to_have_text("2 members")
    # The head of the room and the panel ask at each change, and their first replies come last.
    held, replies = [], []

    def hold(route):
        if len(held) == 2:
            return route.fallback()
        held.append(route)
        replies.append((route, route.fetch()))

    anna.keep_waiting()
    carl, dora = person(name="Carl").join(), person(name="Dora").join()
    anna.page.route(CHANNEL, hold)
    anna.invite(carl)
    anna.until(lambda: len(replies) == 2)
    anna.invite(dora)
    expect(count).to_have_text("4 members")
    expect(note).to_contain_text("4 members")
    for route, reply in replies:
        with anna.page.expect_request_finished(lambda call: CHANNEL.search(call.url)):
            route.fulfill(response=reply)
    anna.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    expect(count).to_have_text("4 members")
    expect(note).to_contain_text("4 members")


def test_a_person_without_a_touch_is_away_until_they_return(person):
    anna, ben = home(person)
    # Minutes that pass in a moment end connections too.
    ben.expected += [r"WebSocket connection"]
    ben.page.clock.install()
    ben.page.reload()
    expect(ben.title).to_contain_text("일반")
    write_to(anna, "Ben")
    sub = anna.page.locator(".room-title p")
    expect(sub).to_have_text("online")
    ben.page.clock.run_for(10 * 60_000 + 1000)

    def is_away():
        # Otherwise the page may wait for half a minute between attempts to connect. It can notice late that a connection has ended.
        ben.page.evaluate("dispatchEvent(new Event('online'))")
        return sub.inner_text() == "away"

    eventually(is_away)
    ben.page.mouse.move(300, 300)
    expect(sub).to_have_text("online")


def test_large_counts_are_short_on_the_screen_and_whole_for_screen_readers(person):
    anna, _ = home(person)

    def count(route):
        reply = route.fetch()
        body = reply.json()
        body["threads"]["unreadCount"] = 123
        body["rooms"][0] |= {"unreadCount": 4567, "mentionCount": 100}
        route.fulfill(response=reply, json=body)

    anna.page.route(re.compile(r"/rooms\?"), count)
    # Another tab has changed something that makes the page read the rooms.
    anna.page.evaluate("() => new BroadcastChannel('maru').postMessage('draft')")
    room = anna.page.locator("maru-sidebar a.side-row", has_text="일반")
    for place, name, shown in (
        (anna.page.locator("[data-list=threads]"), "Threads, 123 unread messages", ("99+", "123")),
        (anna.page.locator("[data-list=mentions]"), "Mentions, 100 mentions", ("99+", "100")),
        (room, "일반, 100 mentions, 4567 unread messages", ("99+", "100")),
        (anna.page.locator("maru-rail .rail-list button"), re.compile("100 mentions, 4567 unread messages$"), ("99+", "100")),
    ):
        expect(place).to_have_attribute("aria-label", name)
        expect(place.locator(".badge")).to_have_text(shown[0])
        expect(place.locator(".badge")).to_have_attribute("title", shown[1])


def test_the_badge_counts_all_workspaces_and_threads_and_follows_another_device(person):
    anna, ben = home(person)
    shared = workspace_name(anna)
    anna.say("Root")
    anna.sent("Root")
    anna.create_workspace(f"Own house {next(counter)}")
    anna.enter("일반")
    phone = person(name="Anna")
    phone.email = anna.email
    phone.sign_in()
    # A message that comes before is read in the room that the page shows first.
    switch_to(phone, "Own house")
    ben.say("One")
    for each in (anna, phone):
        expect(each.page).to_have_title(re.compile(r"^\(1\)"))
        expect(rail(each, shared)).to_have_attribute("aria-label", f"{shared}, 1 unread message")
    reply = ben.open_thread("Root").locator("textarea")
    reply.fill("A reply")
    reply.press("Enter")
    for each in (anna, phone):
        expect(each.page).to_have_title(re.compile(r"^\(2\)"))

    # Reading on one device counts for both.
    switch_to(phone, shared)
    phone.enter("일반")
    for each in (anna, phone):
        expect(each.page).to_have_title(re.compile(r"^\(1\)"))
    phone.page.bring_to_front()
    expect(phone.page.locator("[data-list=threads] .badge")).to_have_text("1")
    phone.page.locator("[data-list=threads]").click()
    phone.page.locator("maru-list .hit").click()
    expect(phone.page.locator("maru-thread .message")).to_have_count(2)
    for each in (anna, phone):
        expect(each.page).to_have_title(re.compile(r"^[^(]"))
    expect(phone.page.locator("[data-list=threads] .badge")).to_have_count(0)


def test_the_rail_tells_each_unread_message(person):
    anna, ben = home(person)
    shared = workspace_name(anna)
    anna.create_channel("elsewhere")
    for number, text in ((1, "1 unread message"), (2, "2 unread messages")):
        ben.say(f"Number {number}")
        expect(rail(anna, shared)).to_have_attribute("aria-label", f"{shared}, {text}")


def test_a_channel_is_renamed_and_deleted_before_the_eyes_of_its_members(person):
    anna, ben = home(person)
    anna.create_channel("Plans", "What comes next")
    anna.say("First")
    anna.sent("First")
    ben.page.get_by_role("button", name="Explore channels").click()
    ben.page.get_by_role("dialog").get_by_role("button", name="Join Plans").click()
    ben.sees("First")

    anna.page.get_by_role("button", name="Details").click()
    anna.page.get_by_role("button", name="Edit the channel").click()
    dialog = anna.page.get_by_role("dialog")
    dialog.locator("[name=name]").fill("Decisions")
    dialog.locator("[name=description]").fill("What we agreed on")
    dialog.get_by_role("button", name="Save").click()
    expect(ben.title).to_contain_text("Decisions")
    expect(ben.page.locator(".room-title p")).to_contain_text("What we agreed on")
    expect(ben.page.locator("maru-sidebar a.side-row", has_text="Decisions")).to_be_visible()
    expect(ben.page.locator("maru-sidebar a.side-row", has_text="Plans")).to_have_count(0)

    ben.expected += [r"status of 404"]
    anna.page.get_by_role("button", name="Details").click()
    anna.page.get_by_role("button", name="Delete the channel").click()
    anna.page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(ben.page.get_by_role("heading", name="You cannot open this room")).to_be_visible()
    expect(ben.page.locator("maru-sidebar a.side-row", has_text="Decisions")).to_have_count(0)


def test_a_slow_reply_does_not_bring_an_earlier_topic_back(person):
    anna, _ = home(person)
    anna.create_channel("Plans", "Topic one")
    sub = anna.page.locator(".room-title p")
    expect(sub).to_contain_text("Topic one")
    other = anna.open("/" + anna.page.url.split("/", 3)[3])
    channel = re.compile(r"/channels/\d+$")
    replies = anna.hold_first(channel)

    def change(topic):
        other.get_by_role("button", name="Details").click()
        other.get_by_role("button", name="Edit the channel").click()
        other.get_by_role("dialog").locator("[name=description]").fill(topic)
        other.get_by_role("dialog").get_by_role("button", name="Save").click()
        expect(other.get_by_role("dialog")).to_have_count(0)

    change("Topic two")
    anna.until(lambda: replies)
    change("Topic three")
    expect(sub).to_contain_text("Topic three")
    with anna.page.expect_request_finished(lambda call: channel.search(call.url)):
        replies[0]()
    # The page has taken the slow reply once it shows the next event.
    anna.say("Still here")
    anna.sent("Still here")
    expect(sub).to_contain_text("Topic three")


def test_a_workspace_is_renamed_and_left_before_the_eyes_of_its_members(person):
    anna, ben = home(person)
    ben.create_workspace(f"Ben's house {next(counter)}")
    switch_to(ben, workspace_name(anna))
    ben.enter("일반")
    name = f"Renamed house {next(counter)}"
    anna.page.locator(".side-title").click()
    anna.page.get_by_role("menuitem", name="Workspace settings").click()
    dialog = anna.page.get_by_role("dialog")
    dialog.locator("[name=name]").fill(name)
    dialog.get_by_role("button", name="Save").click()
    expect(ben.page.locator(".side-title")).to_contain_text(name)
    expect(rail(ben, name)).to_be_visible()

    # A removed member is taken to another workspace.
    ben.expected += [r"status of 404"]
    anna.page.locator(".side-title").click()
    anna.page.get_by_role("menuitem", name="Members").click()
    anna.page.get_by_role("button", name="More: Ben").click()
    anna.page.get_by_role("menuitem", name="Remove").click()
    anna.page.get_by_role("dialog").last.locator("button[type=submit]").click()
    expect(rail(ben, name)).to_have_count(0)
    expect(ben.page.locator(".side-title")).to_contain_text("Ben's house")


def test_a_changed_name_shows_without_a_reload(person):
    anna, ben = home(person)
    anna.say("Who am I?")
    ben.sees("Who am I?")
    anna.menu("Your profile")
    dialog = anna.page.get_by_role("dialog")
    dialog.locator("[name=nickname]").fill("Annabel")
    dialog.locator("button[type=submit]").click()
    expect(ben.message("Who am I?").locator(".author")).to_have_text("Annabel")


def test_a_reply_to_a_room_that_went_stays_written(person):
    anna, ben = home(person)
    ben.expected += [r"status of 404"]
    anna.create_channel("Plans")
    anna.say("First")
    anna.sent("First")
    ben.page.get_by_role("button", name="Explore channels").click()
    ben.page.get_by_role("dialog").get_by_role("button", name="Join Plans").click()
    ben.sees("First")
    reply = ben.open_thread("First").locator("textarea")
    reply.fill("A long reply")
    anna.page.get_by_role("button", name="Details").click()
    anna.page.get_by_role("button", name="Delete the channel").click()
    anna.page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(ben.page.get_by_role("heading", name="You cannot open this room")).to_be_visible()
    reply.press("Enter")
    expect(reply).to_have_value("A long reply")
    ben.told("This no longer exists", bad=True)


def test_details_stay_where_they_were_scrolled(person):
    anna, ben = home(person)
    anna.page.set_viewport_size({"width": 1360, "height": 300})
    anna.page.get_by_role("button", name="Details").click()
    body = anna.page.locator("maru-details .panel-body")
    expect(body).to_contain_text("Ben")
    # In one step, because a panel that is shown anew has another body.
    scroll = "() => Object.assign(document.querySelector('maru-details .panel-body'), { scrollTop: 60, shown: true }).scrollTop"
    assert anna.page.evaluate(scroll) == 60
    # The topic is loaded anew, so the panel is shown anew.
    # A click of the mouse would scroll to its target where something else is before it.
    anna.page.get_by_role("radio", name="Nothing").evaluate("(each) => each.click()")
    expect(anna.page.locator("maru-sidebar a.muted", has_text="일반")).to_be_visible()
    anna.page.wait_for_function("() => !document.querySelector('maru-details .panel-body').shown")
    expect(body).to_have_js_property("scrollTop", 60)


def test_a_member_without_a_change_keeps_the_row_in_the_details(person):
    anna, ben = home(person)
    anna.page.get_by_role("button", name="Details").click()
    row = anna.page.locator("maru-details .person", has_text="Ben")
    expect(row).to_contain_text("online")
    levels = itertools.cycle(["Nothing", "Every message"])

    def is_kept():
        # The panel is shown anew for another level. Ben's row changes only if a connection is lost meanwhile.
        anna.page.evaluate("() => { for (const each of document.querySelectorAll('.panel-body, .person')) each.isOld = true; }")
        anna.page.get_by_role("radio", name=next(levels)).evaluate("(each) => each.click()")
        anna.page.wait_for_function("() => !document.querySelector('maru-details .panel-body').isOld")
        return row.evaluate("(each) => each.isOld")

    anna.until(is_kept)


def test_another_level_of_notifications_leaves_the_room_muted(person):
    anna, _ = home(person)
    anna.page.get_by_role("button", name="Details").click()
    anna.page.get_by_role("button", name="Mute for an hour").click()
    expect(anna.page.get_by_role("button", name="Unmute")).to_be_visible()
    with anna.page.expect_response(re.compile(r"/notify$")) as reply:
        anna.page.get_by_role("radio", name="Mentions only").check()
    assert reply.value.json().get("mutedUntil")
    expect(anna.page.get_by_role("button", name="Unmute")).to_be_visible()
