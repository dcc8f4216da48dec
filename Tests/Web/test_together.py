"""Two people notice each other, add files, and are an owner and a member."""

import base64
import re
from datetime import datetime, timedelta

import pytest
from person import counter
from playwright.sync_api import expect
from rooms import fill_room
from test_story import PICTURE, home

# Notifications are the system's: the page only has to ask for the right ones.
NOTIFICATION = """
window.notices = [];
window.Notification = class {
    static permission = 'default';
    static async requestPermission() { return (Notification.permission = 'granted'); }
    constructor(title, { body }) { window.notices.push(`${title}: ${body}`); window.lastNotice = this; }
    close() {}
};
"""
# Collects the lines that tell of typing, which pass in a few seconds.
TYPED = """() => {
    const line = document.querySelector('maru-room .typing');
    window.typed = [];
    new MutationObserver(() => typed.push(line.textContent)).observe(line, { childList: true, characterData: true, subtree: true });
}"""
GIVE = """([name, type, data, event]) => {
    const bytes = Uint8Array.from(atob(data), (each) => each.charCodeAt(0));
    const transfer = new DataTransfer();
    transfer.items.add(new File([bytes], name, { type }));
    const [target, made] = event === 'paste'
        ? [document.querySelector('maru-composer textarea'), new ClipboardEvent('paste', { clipboardData: transfer, bubbles: true, cancelable: true })]
        : [document.querySelector('maru-room'), new DragEvent(event, { dataTransfer: transfer, bubbles: true, cancelable: true })];
    target.dispatchEvent(made);
}"""
# Gives a file, perhaps with a text, to a part of the page. Returns whether the browser is kept from its own reply to the event.
GIVE_TO = """([selector, event, text]) => {
    const transfer = new DataTransfer();
    if (text) transfer.setData('text/plain', text);
    transfer.items.add(new File(['a'], 'table.png', { type: 'image/png' }));
    const made = event === 'paste'
        ? new ClipboardEvent('paste', { clipboardData: transfer, bubbles: true, cancelable: true })
        : new DragEvent(event, { dataTransfer: transfer, bubbles: true, cancelable: true });
    return !document.querySelector(selector).dispatchEvent(made);
}"""
# Scrolls to the end, or a little above it, so that each call is a step.
NEAR_END = """(each) => {
    const end = each.scrollHeight - each.clientHeight;
    each.scrollTop = each.scrollTop < end - 2 ? end : end - 5;
}"""
# Notices stay until the page is left.
LASTING = """() => {
    const { setTimeout } = window;
    window.setTimeout = (work, wait, ...values) => setTimeout(work, wait === 3000 ? 2 ** 30 : wait, ...values);
}"""
# As in Chrome for Android, which shows the notices of service workers alone.
ANDROID = """() => {
    window.Notification = class extends Notification {
        constructor() { throw new TypeError('Illegal constructor'); }
    };
}"""
# Counts how often the page has been told which rooms are on the screens of all tabs. It asks for each message that may be notified of.
LOOKS = """() => {
    window.looks = 0;
    const query = navigator.locks.query.bind(navigator.locks);
    navigator.locks.query = () => query().finally(() => (looks += 1));
}"""
# Whether a text ends left of its beginning.
ENDS_LEFT = """({ firstChild: text }) => {
    const left = (place) => {
        const range = document.createRange();
        range.setStart(text, place);
        range.setEnd(text, place + 1);
        return range.getBoundingClientRect().left;
    };
    return left(text.length - 1) < left(0);
}"""
CHATS = re.compile(r"/v1/workspaces/\d+/channels/\d+/chats$")


def notified(person):
    """Anna is elsewhere, and her browser notifies her of Ben's messages."""
    anna, ben = home(person)
    anna.context.add_init_script(NOTIFICATION)
    anna.page.reload()
    anna.menu("Settings")
    anna.page.get_by_role("checkbox", name="Notify me in this browser").check()
    anna.page.keyboard.press("Escape")
    anna.create_channel("elsewhere")
    return anna, ben


def noticed(page):
    """The notifications of a page for the messages that it has shown. Each waits for the locks twice, and this does so after it."""
    page.evaluate("navigator.locks.query().then(() => navigator.locks.request('after the others', () => {}))")
    return page.evaluate("notices")


def give(someone, event, name="view.png"):
    someone.page.evaluate(GIVE, [name, "image/png", base64.b64encode(PICTURE).decode(), event])


def test_typing_and_reading_are_seen_by_the_other(person):
    anna, ben = home(person)
    anna.say("Are you there?")
    anna.sent("Are you there?")
    ben.sees("Are you there?")
    expect(anna.page.locator(".receipts")).to_contain_text("Read by 1")
    anna.page.evaluate(TYPED)
    ben.composer.press_sequentially("Ye")

    def is_seen():
        # An event that was lost with a connection is not sent again. The next key sends another one.
        ben.composer.fill("Ye")
        return anna.page.evaluate("typed.includes('Ben is typing…')")

    anna.until(is_seen)
    ben.composer.press_sequentially("s")
    ben.composer.press("Enter")
    anna.sees("Yes")
    expect(anna.page.locator("maru-room .typing")).to_have_text("")


def test_messages_that_come_while_the_user_is_elsewhere_begin_below_a_line(person):
    anna, ben = home(person)
    anna.say("Back soon")
    anna.sent("Back soon")
    ben.sees("Back soon")
    # A page of a test has the focus all the time.
    anna.page.evaluate("document.hasFocus = () => false")
    for text in ("Lunch is ready", "Hurry up"):
        ben.say(text)
        ben.sent(text)
        anna.sees(text)
    below = anna.page.locator("maru-room .unread-line + .message")
    expect(below).to_contain_text("Lunch is ready")
    anna.page.evaluate("() => { document.hasFocus = () => true; dispatchEvent(new Event('focus')); }")
    expect(ben.page.locator(".receipts")).to_contain_text("Read by 1")
    expect(below).to_contain_text("Lunch is ready")


def test_a_line_that_was_passed_on_the_way_down_has_no_bar(person):
    anna, ben = home(person)
    for number in range(40):
        anna.say(f"Line {number}")
    anna.sent("Line 39")
    anna.message("Line 3").first.scroll_into_view_if_needed()
    expect(anna.page.locator(".to-end")).to_be_visible()
    anna.page.evaluate("document.hasFocus = () => false")
    for number in range(40):
        ben.say(f"Reply {number}")
    ben.sent("Reply 39")
    line = anna.page.locator("maru-room .unread-line")
    expect(line).to_have_count(1)
    expect(anna.message("Reply 39")).to_have_count(1)
    anna.page.evaluate("() => { document.hasFocus = () => true; dispatchEvent(new Event('focus')); }")
    for place in ("document.querySelector('.unread-line').offsetTop - 100", "scroller.scrollHeight"):
        anna.page.evaluate(f"""new Promise((done) => {{
            const scroller = document.querySelector('maru-room .scroller');
            scroller.addEventListener('scroll', () => requestAnimationFrame(done), {{ once: true }});
            scroller.scrollTop = {place};
        }})""")
    expect(anna.page.locator(".to-end")).to_be_hidden()
    expect(anna.page.locator(".jump-bar")).to_be_hidden()


def test_messages_that_were_read_on_another_device_have_no_line(person):
    anna, ben = home(person)
    anna.connected()
    anna.page.evaluate("document.hasFocus = () => false")
    ben.say("Lunch is ready")
    line = anna.page.locator("maru-room .unread-line")
    expect(line).to_be_visible()
    phone = person(name="Anna")
    phone.email = anna.email
    phone.sign_in()
    phone.enter("일반")
    phone.sees("Lunch is ready")
    expect(ben.page.locator(".receipts")).to_contain_text("Read by 1")
    expect(line).to_have_count(0)


def test_a_room_that_is_open_overnight_has_yesterdays_messages_below_yesterday(person):
    anna, _ = home(person)
    # A clock that jumps may end the connection.
    anna.expected += ["WebSocket connection"]
    anna.say("Good night")
    anna.sent("Good night")
    # Midnight may have passed since the message.
    sent = datetime.fromisoformat(anna.message("Good night").locator("time").get_attribute("datetime"))
    for days, name in enumerate(("Today", "Yesterday")):
        anna.page.clock.set_fixed_time(sent + timedelta(days=days))
        anna.page.evaluate("dispatchEvent(new Event('focus'))")
        expect(anna.page.locator("maru-room .day")).to_have_text(name)


def test_a_bar_leads_to_the_first_unread_message_above_the_screen(person):
    anna, ben = home(person)
    ben.create_channel("elsewhere")
    for number in range(40):
        anna.say(f"Line {number}")
    anna.sent("Line 39")
    row = ben.page.locator("maru-sidebar a.side-row", has_text="일반")
    expect(row).to_have_attribute("aria-label", re.compile("40 unread"))
    row.click()
    ben.sees("Line 39")
    bar = ben.page.locator(".jump-bar")
    expect(bar).to_contain_text("40 unread since your last visit")
    bar.get_by_role("button", name="Jump").click()
    expect(ben.page.locator("maru-room .unread-line")).to_be_in_viewport()
    expect(bar).to_be_hidden()
    ben.page.locator(".to-end").click()
    expect(ben.message("Line 39")).to_be_in_viewport()
    expect(bar).to_be_hidden()


def test_a_file_comes_in_by_drag_and_by_paste(person):
    anna, ben = home(person)
    give(anna, "dragenter")
    expect(anna.page.locator(".drop")).to_be_visible()
    give(anna, "drop")
    expect(anna.page.locator(".drop")).to_be_hidden()
    give(anna, "paste", "clip.png")
    expect(anna.page.locator(".staged li")).to_have_count(2)
    anna.page.get_by_role("button", name="Remove clip.png").click()
    anna.composer.press("Enter")
    expect(ben.page.locator("maru-room .thumb img.shown")).to_have_count(1)


def test_a_text_that_is_copied_with_a_picture_of_itself_is_pasted(person):
    anna, _ = home(person)
    anna.page.evaluate(GIVE_TO, ["maru-composer textarea", "paste", "Total 42"])
    expect(anna.composer).to_have_value("Total 42")
    anna.page.evaluate(GIVE_TO, ["maru-composer textarea", "paste", "table.png"])
    expect(anna.page.locator(".staged li")).to_have_count(2)
    expect(anna.composer).to_have_value("Total 42")


def test_a_file_that_is_dropped_on_a_thread_is_attached_there_and_elsewhere_refused(person):
    anna, _ = home(person)
    anna.say("Plans")
    anna.sent("Plans")
    panel = anna.open_thread("Plans")
    expect(panel.locator("textarea")).to_be_visible()
    anna.page.evaluate(GIVE_TO, ["maru-thread", "drop", ""])
    expect(panel.locator(".staged li")).to_have_count(1)
    expect(anna.page.locator("maru-room .staged li")).to_have_count(0)
    # Without a refusal the browser shows the file in the place of the page.
    for event in ("dragover", "drop"):
        assert anna.page.evaluate(GIVE_TO, ["maru-sidebar", event, ""])
    expect(anna.page.locator(".staged li")).to_have_count(1)


def test_an_upload_shows_its_progress_and_can_be_cancelled(person):
    anna, ben = home(person)
    held = []
    anna.page.route(CHATS, lambda route: held.append(route) if route.request.method == "POST" else route.fallback())
    give(anna, "drop")
    anna.composer.press("Enter")
    pending = anna.page.locator("maru-room .message.pending")
    expect(pending.get_by_role("progressbar")).to_be_visible()
    pending.get_by_role("button", name="Cancel the upload").click()
    expect(pending).to_have_count(0)
    anna.page.unroute(CHATS)
    anna.say("Never mind")
    ben.sees("Never mind")
    expect(ben.page.locator("maru-room .thumb")).to_have_count(0)


def test_a_picture_keeps_its_place_while_it_loads_and_is_fetched_small(person):
    anna, ben = home(person)
    anna.page.set_input_files("maru-composer input[type=file]", [{"name": "view.png", "mimeType": "image/png", "buffer": PICTURE}])
    with ben.page.expect_request(lambda request: "size=small" in request.url):
        anna.composer.press("Enter")
    thumb = ben.page.locator("maru-room .message .thumb")
    expect(thumb.locator("canvas.blur")).to_have_count(1)
    expect(thumb.locator("img.shown")).to_have_js_property("naturalWidth", 64)
    assert thumb.evaluate("(each) => each.style.aspectRatio") == "64 / 64"


def test_a_message_in_another_room_asks_for_a_notification_unless_the_room_is_silent(person):
    anna, ben = notified(person)
    anna.connected()
    ben.say("Dinner is ready")
    expect(anna.page).to_have_title(re.compile(r"^\(1\)"))
    # The badge may overtake its message.
    anna.page.wait_for_function("() => notices.length > 0")
    assert anna.page.evaluate("notices") == ["Ben in 일반: Dinner is ready"]

    anna.enter("일반")
    anna.page.get_by_role("button", name="Details").click()
    anna.page.get_by_role("radio", name="Nothing").check()
    expect(anna.page.locator("maru-sidebar a.muted", has_text="일반")).to_be_visible()
    anna.enter("elsewhere")
    ben.say("Dessert too")
    expect(anna.page.locator("maru-sidebar a", has_text="일반")).to_have_attribute("aria-label", re.compile("1 unread"))
    assert len(noticed(anna.page)) == 1


def test_a_reply_in_a_thread_notifies_those_who_follow_it_or_are_mentioned(person):
    anna, ben = notified(person)
    anna.enter("일반")
    anna.say("Whose turn is it?")
    anna.sent("Whose turn is it?")
    anna.enter("elsewhere")
    anna.connected()
    ben.say("I cook")
    ben.sent("I cook")

    def reply(root, text):
        field = ben.open_thread(root).locator("textarea")
        field.fill(text)
        field.press("Enter")
        expect(ben.page.locator("maru-thread .message:not(.pending)", has_text=text)).to_have_count(1)

    # Anna's page asks whether she follows the thread.
    with anna.page.expect_response(re.compile(r"/thread\?")):
        reply("I cook", "Pasta, that is")
    reply("Whose turn is it?", "It was yours")
    anna.page.wait_for_function("() => notices.length > 1")
    reply("I cook", "@Anna with or without cheese?")
    anna.page.wait_for_function("() => notices.length > 2")
    assert anna.page.evaluate("notices") == [
        "Ben in 일반: I cook",
        "Ben in 일반: It was yours",
        "Ben in 일반: @Anna with or without cheese?",
    ]
    anna.page.evaluate("lastNotice.onclick()")
    expect(anna.title).to_contain_text("일반")
    expect(anna.page.locator("maru-thread .message", has_text="with or without cheese?")).to_be_visible()


def test_an_owner_edits_the_workspace_removes_a_member_and_deletes_it(person):
    anna, ben = home(person)
    page = anna.page
    name = f"New name {next(counter)}"
    page.locator(".side-title").click()
    page.get_by_role("menuitem", name="Workspace settings").click()
    page.get_by_role("dialog").locator("[name=name]").fill(name)
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(page.locator(".side-title")).to_contain_text(name)

    page.locator(".side-title").click()
    page.get_by_role("menuitem", name="Members").click()
    page.get_by_role("button", name="More: Ben").click()
    page.get_by_role("menuitem", name="Remove").click()
    page.get_by_role("dialog").last.locator("button[type=submit]").click()
    expect(page.get_by_role("dialog").locator("li")).to_have_count(1)
    page.keyboard.press("Escape")
    # Ben may be reading when the access ends.
    ben.expected += [r"status of 404"]
    expect(ben.page.locator("maru-room")).to_have_count(0)

    page.locator(".side-title").click()
    page.get_by_role("menuitem", name="Delete the workspace").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_role("heading", name="Make yourself at home")).to_be_visible()


def test_a_member_leaves_a_workspace(person):
    anna, ben = home(person)
    ben.page.locator(".side-title").click()
    ben.page.get_by_role("menuitem", name="Leave the workspace").click()
    ben.page.get_by_role("dialog").get_by_role("button", name="Leave").click()
    expect(ben.page.get_by_role("heading", name="Make yourself at home")).to_be_visible()


def test_everything_in_a_message_is_reached_by_keyboard(person):
    anna, _ = home(person)
    anna.say("First")
    anna.say("Second")
    anna.sent("Second")
    page = anna.page
    anna.composer.press("Shift+Tab")
    expect(anna.message("Second")).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(anna.message("First")).to_be_focused()
    page.keyboard.press("Tab")
    expect(anna.message("First").locator(".author")).to_be_focused()
    page.keyboard.press("Tab")
    expect(anna.message("First").locator("[data-action=quick]")).to_be_focused()
    page.keyboard.press("Enter")
    expect(anna.message("First").locator(".reaction")).to_contain_text("1")
    expect(anna.message("First").locator("[data-action=quick]")).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox")).to_be_focused()
    page.keyboard.press("Escape")


def test_the_focus_goes_to_the_composer_after_its_button(person):
    anna, _ = home(person)
    anna.composer.fill("Good morning")
    button = anna.page.get_by_role("button", name="Send", exact=True)
    button.focus()
    button.press("Enter")
    anna.sent("Good morning")
    expect(anna.composer).to_be_focused()


def test_the_focus_returns_to_a_message_that_changes_behind_a_dialog(person):
    anna, ben = home(person)
    anna.say("First")
    anna.sent("First")
    ben.sees("First")
    anna.choose("First", "Delete")
    dialog = anna.page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    ben.tool("First", "quick")
    expect(anna.message("First").locator(".reaction")).to_contain_text("1")
    anna.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(anna.message("First").locator("[data-action=more]")).to_be_focused()


@pytest.fixture
def long_room(person, product):
    """A room with ten thousand messages, which are written into the database."""
    anna = person(name="Anna").join()
    anna.create_workspace(f"Old house {next(counter)}")
    anna.enter("일반")
    fill_room(product, anna, 10_000)
    anna.page.reload()
    return anna


def test_ten_thousand_messages_scroll_in_a_window_of_few_rows(long_room):
    page = long_room.page
    long_room.sees("Line 9999 of many")
    rows, first = page.locator("maru-room .message-list > *"), page.locator("maru-room .message[data-seq]").first
    for _ in range(12):
        before = first.get_attribute("data-seq")
        page.locator("maru-room .scroller").evaluate("(each) => (each.scrollTop = 0)")
        expect(first).not_to_have_attribute("data-seq", before)
        assert rows.count() <= 260
    page.locator(".to-end").click()
    expect(long_room.message("Line 9999 of many")).to_be_in_viewport()


def test_the_newest_messages_are_reached_while_a_page_is_loaded(long_room):
    page = long_room.page
    long_room.sees("Line 9999 of many")
    page.evaluate("location.hash += '/5000'")
    expect(page.locator('maru-room .message[data-seq="5000"]')).to_be_in_viewport()
    # The next page never comes.
    held = []
    page.route(re.compile(r"after_seq="), lambda route: held.append(route))

    def is_loaded():
        page.locator("maru-room .scroller").evaluate(NEAR_END)
        return held

    long_room.until(is_loaded)
    page.locator(".to-end").click()
    expect(long_room.message("Line 9999 of many")).to_be_in_viewport()


def test_a_browser_without_notifications_says_so(person):
    anna = person(name="Anna")
    anna.context.add_init_script("delete window.Notification")
    anna.page.reload()
    anna.join().menu("Settings")
    box = anna.page.get_by_role("checkbox", name="Notify me in this browser")
    box.click()
    anna.told("Your browser blocks notifications", bad=True)
    expect(box).not_to_be_checked()


def test_nothing_notifies_in_a_do_not_disturb_hour(person):
    anna, ben = home(person)
    anna.context.add_init_script(NOTIFICATION)
    anna.page.reload()
    anna.menu("Settings")
    dialog = anna.page.get_by_role("dialog")
    dialog.get_by_role("checkbox", name="Notify me in this browser").check()
    dialog.get_by_role("checkbox", name="Do not disturb").check()
    # All hours but a minute, which is half a day away.
    minute = datetime.now() + timedelta(hours=12)
    dialog.locator("[name=from]").fill(f"{minute + timedelta(minutes=1):%H:%M}")
    dialog.locator("[name=to]").fill(f"{minute:%H:%M}")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)
    anna.create_channel("elsewhere")
    anna.connected()
    ben.say("Dinner is ready")
    # The row counts the message when it comes, which is when it would notify.
    expect(anna.page.locator("maru-sidebar a", has_text="일반")).to_have_attribute("aria-label", re.compile("1 unread"))
    assert noticed(anna.page) == []


def test_a_room_that_one_tab_has_silenced_is_silent_in_the_others(person):
    anna, ben = notified(person)
    other = anna.open("/" + anna.page.url.split("/", 3)[3])
    other.evaluate("Notification.permission = 'granted'")
    expect(other.locator('maru-shell[data-connection="live"]')).to_be_visible()
    anna.enter("일반")
    anna.page.get_by_role("button", name="Details").click()
    anna.page.get_by_role("radio", name="Nothing").check()
    expect(other.locator("maru-sidebar a.muted", has_text="일반")).to_be_visible()
    anna.enter("elsewhere")
    ben.say("Dinner is ready")
    expect(other.locator("maru-sidebar a", has_text="일반")).to_have_attribute("aria-label", re.compile("1 unread"))
    assert noticed(other) == []


def test_one_tab_notifies_and_none_while_the_room_is_on_the_screen_of_another(person):
    anna, ben = notified(person)
    other = anna.open("/" + anna.page.url.split("/", 3)[3])
    other.evaluate("Notification.permission = 'granted'")
    other.evaluate(LOOKS)
    expect(other.locator('maru-shell[data-connection="live"]')).to_be_visible()
    anna.page.bring_to_front()
    anna.enter("일반")
    ben.say("Dinner is ready")
    anna.sees("Dinner is ready")
    # The other tab has heard of it, too, and has found the room on a screen.
    other.wait_for_function("() => looks > 0")
    anna.enter("elsewhere")
    anna.say("Back in a minute")
    anna.sent("Back in a minute")
    ben.say("Dessert too")
    for page in (anna.page, other):
        row = page.locator("maru-sidebar a", has_text="일반")
        expect(row).to_have_attribute("aria-label", re.compile("1 unread"))

    def notices():
        return [each for page in (anna.page, other) for each in noticed(page)]

    anna.until(notices)
    assert notices() == ["Ben in 일반: Dessert too"]


def test_a_browser_that_shows_no_notifications_says_so_and_they_are_off(person):
    anna, ben = notified(person)
    anna.connected()
    anna.page.evaluate(ANDROID)
    ben.say("Dinner is ready")
    anna.told("This browser does not show notifications", bad=True)
    anna.menu("Settings")
    expect(anna.page.get_by_role("checkbox", name="Notify me in this browser")).not_to_be_checked()


def test_escape_does_one_thing_a_press(person):
    anna, _ = home(person)
    anna.say("Lunch?")
    anna.sent("Lunch?")
    panel = anna.open_thread("Lunch?")
    expect(panel.locator(".message")).to_be_visible()
    anna.message("Lunch?").focus()
    anna.page.keyboard.press("Escape")
    expect(anna.composer).to_be_focused()
    expect(panel).to_be_visible()
    # A short notice is nothing to close.
    anna.page.evaluate(LASTING)
    anna.tool("Lunch?", "save")
    expect(anna.page.locator(".toast", has_text="Saved")).to_be_visible()
    anna.composer.focus()
    anna.page.keyboard.press("Escape")
    expect(panel).to_have_count(0)


def test_a_notice_outlasts_the_dialog_that_it_was_told_in(person):
    anna, ben = person(name="Anna").join(), person(name="Ben").join()
    anna.create_workspace(f"Open house {next(counter)}")
    anna.page.evaluate(LASTING)
    anna.page.locator(".side-title").click()
    anna.page.get_by_role("menuitem", name="Invite people").click()
    dialog = anna.page.get_by_role("dialog")
    dialog.locator("[name=email]").fill(ben.email)
    dialog.locator("button[type=submit]").click()
    # Everything outside of the dialog is hidden from screen readers.
    expect(dialog.get_by_role("status")).to_have_text("Ben has joined.")
    anna.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(anna.page.locator(".toast")).to_be_visible()


def test_a_message_is_announced_without_its_markup(person):
    anna, ben = home(person)
    ben.say("Dinner is **ready**")
    expect(anna.page.locator("maru-timeline [aria-live]")).to_have_text("Ben: Dinner is ready")


def test_a_message_of_files_alone_has_a_name_for_screen_readers(person):
    anna, _ = home(person)
    give(anna, "drop")
    anna.composer.press("Enter")
    row = anna.page.locator("maru-room .message:not(.pending)")
    expect(row).to_have_attribute("aria-label", re.compile("^Anna, .*: sent a file$"))


def test_a_line_begins_at_the_side_of_its_language(person):
    anna, _ = home(person)
    anna.say("שלום!")
    anna.sent("שלום!")
    # A row that is shown anew in between has no place.
    anna.until(lambda: anna.message("שלום!").locator(".text").evaluate(ENDS_LEFT))


def test_the_keyboard_shows_where_a_picture_is_chosen(person):
    anna = person(name="Anna").join()
    anna.menu("Your profile")
    dialog = anna.page.get_by_role("dialog")
    dialog.locator("[name=nickname]").focus()
    anna.page.keyboard.press("Shift+Tab")
    expect(dialog.locator("input[type=file]")).to_be_focused()
    expect(dialog.locator(".picture .button")).to_have_css("outline-style", "solid")


def test_a_reply_that_is_also_in_the_room_is_announced_once(person):
    anna, ben = home(person)
    anna.say("Where do we eat?")
    anna.sent("Where do we eat?")
    ben.sees("Where do we eat?")
    expect(anna.open_thread("Where do we eat?").locator(".message")).to_have_count(1)
    panel = ben.open_thread("Where do we eat?")
    panel.get_by_role("checkbox").check()
    panel.locator("textarea").fill("At the market")
    panel.locator("textarea").press("Enter")
    expect(anna.page.locator("maru-room maru-timeline [aria-live]")).to_have_text("Ben: At the market")
    expect(anna.page.locator("maru-thread .message")).to_have_count(2)
    expect(anna.page.locator("maru-thread maru-timeline [aria-live]")).to_have_text("")


def test_a_picture_that_the_browser_cannot_show_has_a_sign(person):
    anna, _ = home(person)
    files = [{"name": "view.heic", "mimeType": "image/heic", "buffer": b"no picture"}]
    anna.page.set_input_files("maru-composer input[type=file]", files)
    staged = anna.page.locator(".staged li")
    expect(staged).to_contain_text("view.heic")
    expect(staged.locator("> svg")).to_have_count(1)
    expect(staged.locator("img")).to_have_count(0)


def test_attached_files_wait_in_their_room(person):
    anna, ben = home(person)
    anna.create_channel("elsewhere")
    anna.enter("일반")
    give(anna, "drop")
    expect(anna.page.locator(".staged li")).to_have_count(1)
    anna.enter("elsewhere")
    expect(anna.page.locator(".staged li")).to_have_count(0)
    anna.enter("일반")
    expect(anna.page.locator(".staged li")).to_have_count(1)
    anna.composer.press("Enter")
    expect(ben.page.locator("maru-room .thumb img.shown")).to_have_count(1)
