"""Two people in two windows live through the features of the web client."""

import base64
import re

from person import counter
from playwright.sync_api import expect

PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAAAAACPAi4CAAAAKklEQVR42u3MQREAAAwCIPunMaIh9ttBANKjCAQCgUAgEAgEAoFA"
    "IPgeDE0rAKYtm3lkAAAAAElFTkSuQmCC"
)


def home(person, **options):
    """Anna with a workspace, and Ben in it."""
    anna, ben = person(name="Anna", **options).join(), person(name="Ben", **options).join()
    anna.create_workspace(f"Maru house {next(counter)}")
    anna.invite(ben)
    ben.page.reload()
    for each in (anna, ben):
        each.enter("일반")
        each.connected()
    return anna, ben


def test_messages_reach_the_other_window_and_are_changed_there(person):
    anna, ben = home(person)
    anna.say("Good morning")
    anna.sent("Good morning")
    ben.sees("Good morning")
    ben.say("Hello **Anna**, see `code` and https://example.com/a(b).")
    anna.sees("Hello Anna")
    expect(anna.message("Hello").locator("strong")).to_have_text("Anna")
    expect(anna.message("Hello").locator("a")).to_have_attribute("href", "https://example.com/a(b)")

    # Reactions
    ben.tool("Good morning", "quick")
    expect(anna.message("Good morning").locator(".reaction")).to_contain_text("1")
    anna.message("Good morning").locator(".reaction").click()
    expect(ben.message("Good morning").locator(".reaction")).to_contain_text("2")

    # Editing, by the key and by the menu
    anna.composer.press("ArrowUp")
    expect(anna.composer).to_have_value("Good morning")
    anna.composer.fill("Good evening")
    anna.composer.press("Enter")
    ben.sees("Good evening")
    expect(ben.message("Good evening").locator(".edited")).to_be_visible()
    anna.choose("Good evening", "Earlier versions")
    expect(anna.page.get_by_role("dialog")).to_contain_text("Good morning")
    anna.page.keyboard.press("Escape")

    # Pins, saved messages
    ben.choose("Good evening", "Pin to the room")
    expect(anna.message("Good evening").locator(".labels")).to_contain_text("Pinned")
    anna.page.get_by_role("button", name="Pinned").click()
    expect(anna.page.locator(".hit")).to_contain_text("Good evening")
    anna.tool("Good evening", "save")
    # The label comes with the server's answer.
    expect(anna.message("Good evening").locator(".labels")).to_contain_text("Saved")
    anna.page.locator("maru-sidebar").get_by_role("button", name="Saved").click()
    expect(anna.page.locator(".hit")).to_contain_text("Good evening")

    # Deleting
    anna.choose("Good evening", "Delete")
    anna.page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(ben.page.locator(".text.gone")).to_have_count(1)


def test_a_click_reaches_a_message_that_changes_while_the_button_is_down(person):
    anna, ben = home(person)
    anna.say("Good morning")
    anna.sent("Good morning")
    row = ben.message("Good morning")
    row.hover()
    row.locator(".tools [data-action=quick]").hover()
    ben.page.mouse.down()
    anna.tool("Good morning", "quick")
    # Ben's window knows the reaction once it tells of the message after it.
    anna.say("Anyone?")
    expect(ben.page.locator("maru-timeline [aria-live]")).to_contain_text("Anyone?")
    ben.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    ben.page.mouse.up()
    for each in (anna, ben):
        expect(each.message("Good morning").locator(".reaction")).to_contain_text("2")


def test_files_travel_with_previews_and_a_lightbox(person):
    anna, ben = home(person)
    anna.page.set_input_files(
        "maru-composer input[type=file]",
        [
            {"name": "view.png", "mimeType": "image/png", "buffer": PICTURE},
            {"name": "계획.txt", "mimeType": "text/plain", "buffer": "오늘".encode()},
        ],
    )
    expect(anna.page.locator(".staged li")).to_have_count(2)
    anna.say("Two files")
    anna.sent("Two files")
    expect(ben.message("Two files").locator(".thumb img.shown")).to_be_visible()
    ben.message("Two files").locator(".thumb").click()
    expect(ben.page.locator("dialog.lightbox img")).to_have_js_property("naturalWidth", 64)
    ben.page.keyboard.press("Escape")
    with ben.page.expect_download() as download:
        ben.message("Two files").locator("button.file").click()
    assert open(download.value.path(), "rb").read() == "오늘".encode()


def test_a_file_beyond_the_limit_is_refused_before_the_upload(person):
    anna, _ = home(person)
    anna.page.set_input_files(
        "maru-composer input[type=file]", [{"name": "film.mov", "mimeType": "video/quicktime", "buffer": bytes(10_485_761)}]
    )
    anna.told("film.mov is larger", bad=True)
    expect(anna.page.locator(".staged li")).to_have_count(0)


def test_search_marks_what_it_found_and_jumps_to_it(person):
    anna, _ = home(person)
    for number in range(60):
        anna.say(f"회의 자료 {number}번")
    anna.sent("회의 자료 59번")
    anna.page.locator(".room-head").get_by_role("button", name="Search").click()
    # The days of before: and after: are those of the device.
    with anna.page.expect_request(re.compile(r"/search\?.*\bzone=[A-Z]\w+")):
        anna.search("ㅎㅇ 자료 3번", "회의 자료 3번")
    expect(anna.page.locator(".hit").first.locator("mark").first).to_be_visible()
    anna.page.locator(".hit", has_text="회의 자료 3번").first.click()
    row = anna.page.locator("maru-room .message.target")
    expect(row).to_contain_text("회의 자료 3번")
    expect(row).to_be_in_viewport()
    anna.page.locator(".to-end").click()
    expect(anna.message("회의 자료 59번")).to_be_in_viewport()


def test_more_results_are_those_of_the_present_text(person):
    anna, _ = home(person)
    for number in range(35):
        anna.say(f"회의 {number}번")
    anna.say("점심 메뉴")
    anna.sent("점심 메뉴")
    anna.page.locator(".room-head").get_by_role("button", name="Search").click()
    anna.search("점심", "점심 메뉴")
    anna.search("회의", "회의 34번")
    more = anna.page.locator("maru-search").get_by_role("button", name="Show more")
    expect(more).to_be_visible()
    held = []
    anna.keep_waiting()
    anna.page.route(re.compile(r"/search\?"), lambda route: route.fallback() if held else held.append(route))
    anna.page.locator("maru-search input").fill("점심")
    anna.until(lambda: held)
    # Nothing else says that the reply is late.
    expect(anna.page.locator("maru-search").get_by_role("status")).to_have_text("Searching…")
    more.click()
    expect(anna.page.locator("maru-search .hit")).to_have_count(1)
    expect(anna.page.locator("maru-search .hit")).to_contain_text("점심 메뉴")


def test_the_quick_switcher_finds_rooms_by_initial_consonants(person):
    anna, _ = home(person)
    anna.create_channel("디자인 회의", "화면과 글꼴")
    anna.page.keyboard.press("Control+k")
    anna.page.get_by_role("combobox", name="Go to a room").fill("ㅇㅂ")
    expect(anna.page.get_by_role("option").first).to_contain_text("일반")
    anna.page.keyboard.press("Enter")
    expect(anna.title).to_contain_text("일반")


def test_channels_are_found_joined_edited_handed_over_and_left(person):
    anna, ben = home(person)
    anna.create_channel("plans", "What comes next")
    ben.page.get_by_role("button", name="Explore channels").click()
    ben.page.get_by_role("dialog").get_by_role("button", name="Join plans").click()
    expect(ben.title).to_contain_text("plans")
    ben.say("I am in")
    anna.sees("I am in")

    anna.page.get_by_role("button", name="Details").click()
    anna.page.get_by_role("button", name="Edit the channel").click()
    anna.page.get_by_role("dialog").locator("[name=name]").fill("roadmap")
    anna.page.get_by_role("dialog").locator("button[type=submit]").click()
    expect(anna.title).to_contain_text("roadmap")

    anna.page.get_by_role("button", name="Details").click()
    anna.page.get_by_role("button", name="More: Ben").click()
    anna.page.get_by_role("menuitem", name="Make owner").click()
    anna.page.get_by_role("dialog").locator("button[type=submit]").click()
    anna.page.get_by_role("button", name="Leave the channel").click()
    anna.page.get_by_role("dialog").get_by_role("button", name="Leave").click()
    expect(anna.page.locator("maru-sidebar")).not_to_contain_text("roadmap")


def test_direct_messages_reach_one_person(person):
    anna, ben = home(person)
    anna.page.get_by_role("button", name="Write to someone").click()
    anna.page.get_by_role("button", name="Message Ben").click()
    expect(anna.title).to_have_text("Ben")
    anna.say("Between us")
    anna.sent("Between us")
    row = ben.page.locator("maru-sidebar a.side-row", has_text="Anna")
    expect(row.locator(".badge")).to_have_text("1")
    expect(ben.page).to_have_title(re.compile(r"^\(1\) "))
    row.click()
    ben.sees("Between us")
    expect(row.locator(".badge")).to_have_count(0)
    expect(ben.page).to_have_title(re.compile("^Anna"))


def test_mentions_are_completed_by_keyboard(person):
    anna, ben = home(person)
    ben.say("here")
    anna.sees("here")
    anna.composer.press_sequentially("Dear @b")
    expect(anna.page.get_by_role("option", name="@Ben")).to_be_visible()
    anna.composer.press("Enter")
    expect(anna.composer).to_have_value("Dear @Ben ")
    anna.composer.press_sequentially("look")
    anna.composer.press("Enter")
    expect(ben.message("look").locator(".mention.own")).to_have_text("@Ben")


def test_a_mention_by_id_is_shown_by_name(person):
    anna, ben = home(person)
    anna.page.get_by_role("button", name="Details").click()
    member = anna.page.get_by_role("button", name="More: Ben").get_attribute("data-action")
    anna.say(f"<@{member.removeprefix('member-')}> please look")
    expect(ben.message("please look").locator(".mention.own")).to_have_text("@Ben")
    expect(anna.message("please look").locator(".mention:not(.own)")).to_have_text("@Ben")
    expect(ben.message("please look")).to_have_attribute("aria-label", re.compile("@Ben please look$"))
    ben.page.locator("maru-sidebar").get_by_role("button", name="Mentions").click()
    expect(ben.page.locator(".hit-text")).to_have_text("@Ben please look")


def test_a_scheduled_message_stands_in_its_list_until_it_is_cancelled(person):
    anna, _ = home(person)
    anna.composer.fill("Later, please")
    anna.page.get_by_role("button", name="Send later").click()
    anna.page.get_by_role("menuitem").click()
    anna.page.get_by_role("dialog").locator("button[type=submit]").click()
    expect(anna.composer).to_have_value("")
    anna.page.locator("maru-sidebar").get_by_role("button", name="Scheduled").click()
    expect(anna.page.locator(".hit")).to_contain_text("Later, please")
    anna.page.get_by_role("button", name="Cancel the message").click()
    expect(anna.page.locator(".hit")).to_have_count(0)


def test_threads_stand_beside_the_room_and_count_their_replies(person):
    anna, ben = home(person)
    anna.say("Where do we eat?")
    anna.sent("Where do we eat?")
    ben.sees("Where do we eat?")
    panel = ben.open_thread("Where do we eat?")
    panel.locator("textarea").fill("At the market")
    panel.locator("textarea").press("Enter")
    expect(panel.locator(".message:not(.pending)", has_text="At the market")).to_have_count(1)
    expect(anna.message("Where do we eat?").locator(".replies")).to_contain_text("1 reply")
    anna.sees("At the market", count=0)
    panel.get_by_role("checkbox").check()
    panel.locator("textarea").fill("Noon, all of us")
    panel.locator("textarea").press("Enter")
    anna.sees("Noon, all of us")
    # The choice was for that reply.
    expect(panel.get_by_role("checkbox")).not_to_be_checked()
    panel.locator("textarea").fill("Or at one")
    panel.locator("textarea").press("Enter")
    anna.message("Where do we eat?").locator(".replies").click()
    expect(anna.page.locator("maru-thread .message")).to_have_count(4)
    anna.sees("Or at one", count=0)
    anna.page.locator("maru-sidebar").get_by_role("button", name="Threads").click()
    expect(anna.page.locator(".hit")).to_contain_text("Where do we eat?")


def reply_aside(anna):
    """Asks a question, and answers it in its thread only."""
    anna.say("Where do we eat?")
    anna.sent("Where do we eat?")
    panel = anna.open_thread("Where do we eat?")
    panel.locator("textarea").fill("At the market")
    panel.locator("textarea").press("Enter")
    expect(panel.locator(".message:not(.pending)", has_text="At the market")).to_have_count(1)


def test_a_jump_to_a_reply_that_stays_in_its_thread_ends_at_the_next_message(person):
    anna, _ = home(person)
    reply_aside(anna)
    anna.say("Noon, all of us")
    anna.sent("Noon, all of us")
    following = anna.message("Noon, all of us")
    reply = int(following.get_attribute("data-seq")) - 1
    anna.page.evaluate(f"location.hash += '/{reply}'")
    expect(following).to_be_focused()


def test_a_jump_to_a_reply_after_the_last_message_takes_no_focus_later(person):
    anna, ben = home(person)
    reply_aside(anna)
    root = anna.message("Where do we eat?")
    reply = int(root.get_attribute("data-seq")) + 1
    anna.page.evaluate(f"location.hash += '/{reply}'")
    expect(root).to_be_focused()
    anna.composer.focus()
    ben.say("Noon, all of us")
    anna.sees("Noon, all of us")
    expect(anna.composer).to_be_focused()


def test_mentions_have_a_list_of_their_own(person):
    anna, ben = home(person)
    ben.say("@Anna please look")
    anna.sees("please look")
    expect(anna.page.locator("maru-room .message.mentioned")).to_have_count(1)
    anna.page.locator("maru-sidebar").get_by_role("button", name="Mentions").click()
    expect(anna.page.locator(".hit")).to_contain_text("please look")


def test_open_lists_of_messages_follow_the_changes(person):
    anna, ben = home(person)
    anna.say("Plans")
    anna.sent("Plans")
    ben.sees("Plans")
    panel = anna.page.locator("maru-panel")
    found = panel.locator(".hit")
    anna.page.get_by_role("button", name="Pinned").click()
    expect(panel).to_contain_text("Nothing is pinned in this room.")
    ben.choose("Plans", "Pin to the room")
    expect(found).to_contain_text("Plans")
    ben.choose("Plans", "Unpin")
    expect(found).to_have_count(0)
    anna.page.locator("[data-list=mentions]").click()
    expect(panel).to_contain_text("Messages that mention you appear here.")
    ben.say("@Anna please look")
    expect(found).to_contain_text("please look")
    anna.page.locator("[data-list=saved]").click()
    expect(panel).to_contain_text("Messages that you save appear here.")
    anna.tool("please look", "save")
    expect(found).to_contain_text("please look")
    anna.page.locator("[data-list=threads]").click()
    expect(panel).to_contain_text("Threads that you follow appear here.")
    reply = ben.open_thread("Plans").locator("textarea")
    reply.fill("Which ones?")
    reply.press("Enter")
    expect(found).to_contain_text("Plans")
    anna.page.locator("[data-list=scheduled]").click()
    expect(panel).to_contain_text("No scheduled messages.")
    anna.composer.fill("Later, please")
    anna.page.get_by_role("button", name="Send later").click()
    anna.page.get_by_role("menuitem").click()
    anna.page.get_by_role("dialog").locator("button[type=submit]").click()
    expect(found).to_contain_text("Later, please")


def test_a_row_keeps_the_focus_while_one_above_it_goes(person):
    anna, ben = home(person)
    for text in ("Plans", "Menu"):
        anna.say(text)
        anna.sent(text)
        ben.sees(text)
        ben.choose(text, "Pin to the room")
        expect(anna.message(text).locator(".labels")).to_contain_text("Pinned")
    anna.page.get_by_role("button", name="Pinned").click()
    found = anna.page.locator("maru-panel .hit")
    expect(found).to_have_count(2)
    above, below = found.all_inner_texts()
    anna.page.locator("maru-panel .hit", has_text="Menu" if "Menu" in below else "Plans").focus()
    ben.choose("Menu" if "Menu" in above else "Plans", "Unpin")
    expect(found).to_have_count(1)
    expect(found).to_be_focused()


def test_a_list_of_names_leaves_the_rest_of_the_message(person):
    anna, ben = home(person)
    anna.composer.fill(" please look")
    anna.composer.press("Home")
    anna.composer.press_sequentially("@Be")
    expect(anna.page.get_by_role("option")).not_to_have_count(0)
    anna.composer.press("End")
    anna.composer.press("Enter")
    anna.sent("@Be please look")


def test_a_name_that_was_begun_before_the_members_are_known_is_completed(person):
    anna, _ = home(person)
    held = []
    anna.keep_waiting()
    anna.page.route(re.compile(r"/v1/workspaces/\d+/channels/\d+$"), lambda route: held.append(route))
    anna.page.reload()
    anna.until(lambda: held)
    anna.composer.press_sequentially("@Be")
    held[0].continue_()
    expect(anna.page.get_by_role("option", name="@Ben")).to_be_visible()


def test_a_slow_save_leaves_the_next_edit(person):
    anna, ben = home(person)
    for text in ("First", "Second"):
        anna.say(text)
        anna.sent(text)
    held = []
    anna.keep_waiting()
    anna.page.route(
        re.compile(r"/chats/\d+$"), lambda route: held.append(route) if route.request.method == "PUT" else route.continue_())
    anna.choose("First", "Edit")
    anna.say("First, changed")
    anna.until(lambda: held)
    anna.choose("Second", "Edit")
    anna.composer.fill("Second, rewritten")
    held[0].continue_()
    anna.sees("First, changed")
    expect(anna.composer).to_have_value("Second, rewritten")


def test_a_reply_in_the_room_is_edited_there(person):
    anna, ben = home(person)
    anna.say("Where?")
    anna.sent("Where?")
    panel = anna.open_thread("Where?")
    panel.get_by_role("checkbox").check()
    panel.locator("textarea").fill("At noon")
    panel.locator("textarea").press("Enter")
    anna.sent("At noon")
    anna.page.get_by_role("button", name="Close the panel").click()
    anna.choose("At noon", "Edit")
    expect(anna.composer).to_have_value("At noon")


def test_a_search_ends_with_its_user(person):
    anna, ben = home(person)
    anna.expected += [r"status of 401"]
    anna.page.get_by_role("button", name="Search", exact=True).click()
    anna.page.locator("maru-search input").fill("salary")
    anna.menu("Sign out")
    anna.sign_in()
    expect(anna.title).to_contain_text("일반")
    expect(anna.page.locator("maru-search")).to_have_count(0)


def test_a_scheduled_message_takes_its_files_along(person):
    anna, _ = home(person)
    anna.page.set_input_files("maru-composer input[type=file]", [{"name": "view.png", "mimeType": "image/png", "buffer": PICTURE}])
    anna.composer.fill("With a picture")
    anna.page.get_by_role("button", name="Send later").click()
    anna.page.get_by_role("menuitem").click()
    with anna.page.expect_response(re.compile(r"/scheduled$")) as reply:
        anna.page.get_by_role("dialog").locator("button[type=submit]").click()
    assert len(reply.value.json()["files"]) == 1
    expect(anna.page.locator(".staged li")).to_have_count(0)
