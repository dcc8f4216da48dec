"""The owner's pages, invitations, reports and blocks."""

import json
import re

import pytest
from person import counter
from pictures import sky
from playwright.sync_api import expect
from test_views import audit

MOMENT = "2026-11-24T05:06:07.123Z"


class Server:
    """Answers some routes in the place of the server, and remembers what it was asked."""

    def __init__(self, someone):
        self.page, self.asked = someone.page, []

    def answer(self, method, path, reply, status=200):
        def handle(route):
            if route.request.method != method:
                return route.fallback()
            self.asked.append((method, route.request.url.split("/v1")[1], route.request.post_data))
            body = reply() if callable(reply) else reply
            return route.fulfill(status=status, body=json.dumps(body), content_type="application/json")

        self.page.route(re.compile(path + r"(\?.*)?$"), handle)

    def heard(self, method, path):
        return [json.loads(body) if body else None for made, asked, body in self.asked if made == method and re.search(path, asked)]


@pytest.fixture
def owner(person):
    anna = person(name="Anna").join()
    anna.create_workspace(f"Owned house {next(counter)}")
    anna.enter("일반")
    return anna


def open_page(anna, item):
    anna.page.locator(".side-title").click()
    anna.page.get_by_role("menuitem", name=item).click()
    return anna.page.get_by_role("dialog")


def link_of(anna, role="Member", uses="5"):
    """Makes an invitation in the open dialog and returns the copied link."""
    dialog = anna.page.get_by_role("dialog")
    dialog.locator("[name=role]").select_option(label=role)
    dialog.locator("[name=uses]").fill(uses)
    dialog.get_by_role("button", name="Make a link").click()
    expect(dialog.locator("li")).to_contain_text(f"{role} · used 0 of {uses} times")
    assert audit(anna.page) == []
    dialog.get_by_role("button", name="Copy the link").click()
    anna.told("Copied")
    return anna.page.evaluate("navigator.clipboard.readText()")


def test_a_person_joins_by_a_link_until_it_is_revoked(owner, person):
    owner.context.grant_permissions(["clipboard-read", "clipboard-write"])
    dialog = open_page(owner, "Invitation links")
    expect(dialog.get_by_text("No invitation links.")).to_be_visible()
    link = link_of(owner)
    token = link.rsplit("/", 1)[1]
    assert link.endswith(f"/#/join/{token}")

    # A person without an account sees the question after the sign-up.
    ben = person(name="Ben")
    # The link is opened in the window that shows the sign-in.
    expect(ben.page.locator("maru-gate form")).to_be_visible()
    ben.page.goto(f"{owner.product.base}/#/join/{token}")
    expect(ben.page.locator("maru-gate")).to_contain_text("You are invited.")
    ben.join()
    question = ben.page.get_by_role("dialog")
    expect(question).to_contain_text("Anna invites you as Member.")
    assert token not in ben.page.url
    assert audit(ben.page) == []
    question.get_by_role("button", name="Join").click()
    expect(question).to_have_count(0)
    expect(ben.page.locator(".side-title")).to_contain_text("Owned house")

    owner.page.keyboard.press("Escape")
    dialog = open_page(owner, "Invitation links")
    expect(dialog.locator("li")).to_contain_text("used 1 of 5 times")
    dialog.get_by_role("button", name="Revoke").click()
    expect(dialog.locator("li")).to_contain_text("No longer valid")
    expect(dialog.get_by_role("button", name="Copy the link")).to_have_count(0)
    carl = person(name="Carl").join()
    carl.expected += [r"status of 404"]
    carl.page.goto(f"{owner.product.base}/#/join/{token}")
    ended = carl.page.get_by_role("dialog", name="This invitation is no longer valid.")
    expect(ended).to_contain_text("Ask the person who sent it")
    ended.get_by_role("button", name="OK").click()
    expect(ended).to_have_count(0)


def test_an_invitation_by_email_says_why_it_failed(owner, person):
    owner.expected += [r"status of 40[49]"]
    ben = person(name="Ben").join()
    owner.invite(ben)
    dialog = open_page(owner, "Invite people")
    for email, text in ((ben.email, "This person is a member already."), (f"nobody.{ben.email}", "Nobody has an account with this email.")):
        dialog.locator("[name=email]").fill(email)
        dialog.locator("button[type=submit]").click()
        expect(dialog.get_by_role("alert")).to_contain_text(text)


def test_a_guest_is_invited_into_one_channel(owner, person):
    owner.context.grant_permissions(["clipboard-read", "clipboard-write"])
    owner.create_channel("Partners")
    dialog = open_page(owner, "Invitation links")
    channel = dialog.get_by_label("Channel")
    expect(channel).to_be_hidden()
    dialog.locator("[name=role]").select_option("guest")
    channel.select_option(label="Partners")
    token = link_of(owner, "Guest", "1").rsplit("/", 1)[1]
    guest = person(name="Gina").join()
    guest.page.goto(f"{owner.product.base}/#/join/{token}")
    guest.page.get_by_role("dialog").get_by_role("button", name="Join").click()
    guest.enter("Partners")
    expect(guest.page.locator("maru-sidebar a.side-row")).to_have_count(1)


def test_roles_are_seen_and_changed_and_recorded(owner, person):
    ben = person(name="Ben").join()
    owner.invite(ben)
    dialog = open_page(owner, "Roles")
    box = dialog.get_by_role("combobox", name="Role of Ben")
    expect(box).to_have_value("member")
    assert audit(owner.page) == []
    with owner.page.expect_response(lambda reply: reply.url.endswith("/roles") and reply.ok) as listed:
        box.select_option("admin")
    assert [each["role"] for each in listed.value.json()["items"]] == ["owner", "admin"]
    expect(box).to_have_value("admin")
    owner.page.keyboard.press("Escape")

    ben.page.reload()
    expect(open_page(ben, "Reports").get_by_text("No reports.")).to_be_visible()

    dialog = open_page(owner, "Audit log")
    expect(dialog.locator("li").first).to_contain_text("Role changed")
    expect(dialog.locator("li").first).to_contain_text("Anna · → Ben")
    expect(dialog.locator("li", has_text="Member added")).to_have_count(1)
    owner.page.keyboard.press("Escape")

    owner.page.locator(".side-title").click()
    owner.page.get_by_role("menuitem", name="Members").click()
    dialog = owner.page.get_by_role("dialog")
    dialog.get_by_role("button", name="More: Ben").click()
    owner.page.get_by_role("menuitem", name="Remove").click()
    owner.page.get_by_role("dialog").last.locator("button[type=submit]").click()
    expect(dialog.locator("li", has_text="Ben")).to_have_count(0)


def test_an_admin_removes_and_bans_members_and_lifts_the_ban(owner, person):
    owner.context.grant_permissions(["clipboard-read", "clipboard-write"])
    ada, ben = person(name="Ada").join(), person(name="Ben").join()
    for each in (ada, ben):
        owner.invite(each)
    dialog = open_page(owner, "Roles")
    with owner.page.expect_response(re.compile(r"/roles$")):
        dialog.get_by_role("combobox", name="Role of Ada").select_option("admin")
    owner.page.keyboard.press("Escape")

    # An admin reaches members, and neither owners nor other admins.
    dialog = open_page(ada, "Members")
    expect(dialog.locator("li", has_text="Anna")).to_contain_text("Owner")
    dialog.get_by_role("button", name="More: Anna").click()
    expect(ada.page.get_by_role("menuitem")).to_have_text(["Message"])
    ada.page.keyboard.press("Escape")
    dialog.get_by_role("button", name="More: Ben").click()
    assert audit(ada.page) == []
    ada.page.get_by_role("menuitem", name="Ban").click()
    ben.expected += [r"status of 404"]
    ada.page.get_by_role("dialog").last.locator("button[type=submit]").click()
    expect(dialog.locator("li", has_text="Ben")).to_have_count(0)
    expect(ben.page.get_by_role("heading", name="Make yourself at home")).to_be_visible()
    ada.page.keyboard.press("Escape")

    # The banned person cannot come back by a link.
    open_page(owner, "Invitation links")
    token = link_of(owner).rsplit("/", 1)[1]
    ben.expected += [r"status of 40[0-9]"]
    ben.page.goto(f"{owner.product.base}/#/join/{token}")
    ben.page.get_by_role("dialog").get_by_role("button", name="Join").click()
    expect(ben.page.get_by_role("dialog").get_by_role("alert")).not_to_be_empty()
    dialog = open_page(ada, "Banned people")
    expect(dialog.locator("li")).to_contain_text("Ben")
    expect(dialog.locator("li")).to_contain_text("Ada")
    assert audit(ada.page) == []
    dialog.get_by_role("button", name="Lift the ban Ben").click()
    ada.page.get_by_role("dialog").last.locator("button[type=submit]").click()
    expect(dialog.get_by_text("Nobody is banned.")).to_be_visible()
    ben.page.get_by_role("dialog").get_by_role("button", name="Join").click()
    expect(ben.page.locator(".side-title")).to_contain_text("Owned house")


def test_a_late_list_of_members_does_not_take_the_place_of_a_newer_one(owner, person):
    phone = person(name="Anna")
    phone.email = owner.email
    phone.sign_in()
    rows = open_page(owner, "Members").locator("li")
    expect(rows).to_have_count(1)
    roles = re.compile(r"/roles$")
    held, replies = [], []

    def hold(route):
        if held:
            return route.fallback()
        held.append(route)
        replies.append(route.fetch())

    owner.keep_waiting()
    carl, dora = person(name="Carl").join(), person(name="Dora").join()
    owner.page.route(roles, hold)
    phone.invite(carl)
    owner.until(lambda: replies)
    phone.invite(dora)
    expect(rows).to_have_count(3)
    with owner.page.expect_request_finished(lambda call: roles.search(call.url)):
        held[0].fulfill(response=replies[0])
    owner.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    expect(rows).to_have_count(3)


def test_a_person_asks_to_join_where_the_settings_allow_it(owner, person):
    carl = person(name="Carl").join()
    carl.expected += [r"status of 404"]
    home = re.search(r"#/(\d+)", owner.page.url)[1]
    carl.page.goto(f"{owner.product.base}/#/{home}")
    expect(carl.page.get_by_role("heading", name="You are not in this workspace")).to_be_visible()
    assert audit(carl.page) == []
    carl.page.get_by_role("button", name="Ask to join").click()
    question = carl.page.get_by_role("dialog")
    question.locator("[name=text]").fill("I am Carl from sales")
    question.get_by_role("button", name="Send").click()
    expect(question.get_by_role("alert")).to_contain_text("does not accept requests")

    dialog = open_page(owner, "Workspace settings")
    dialog.get_by_role("checkbox", name="may ask to join").check()
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)
    question.get_by_role("button", name="Send").click()
    carl.told("Your request was sent.")

    dialog = open_page(owner, "Requests to join")
    expect(dialog.locator("li")).to_contain_text("I am Carl from sales")
    assert audit(owner.page) == []
    dialog.get_by_role("button", name="Let in Carl").click()
    expect(dialog.get_by_text("No requests to join.")).to_be_visible()
    # The page of the new member shows the workspace by itself.
    expect(carl.page.locator(".side-title")).to_contain_text("Owned house")
    owner.page.keyboard.press("Escape")
    dialog = open_page(owner, "Workspace settings")
    expect(dialog.get_by_role("checkbox", name="may ask to join")).to_be_checked()


def test_a_report_shows_the_messages_and_is_answered(owner, person):
    ben = person(name="Ben").join()
    owner.invite(ben)
    ben.page.reload()
    ben.enter("일반")
    owner.say("Stop it")
    ben.sees("Stop it")
    ben.say("Never")
    owner.sees("Never")
    carl = person(name="Carl").join()
    owner.invite(carl)
    carl.page.reload()
    carl.enter("일반")
    carl.choose("Never", "Report")
    dialog = carl.page.get_by_role("dialog")
    dialog.locator("[name=reason]").select_option("harassment")
    dialog.locator("[name=text]").fill("Please look")
    dialog.get_by_role("button", name="Report").click()
    carl.told("Thank you.")

    dialog = open_page(owner, "Reports")
    expect(dialog.locator("blockquote")).to_have_text(["Anna Stop it", "Ben Never"])
    expect(dialog.locator("blockquote.reported")).to_have_text("Ben Never")
    expect(dialog.locator("li")).to_contain_text("Ben is reported · Harassment")
    expect(dialog.locator("li")).to_contain_text("Please look")
    assert audit(owner.page) == []
    dialog.get_by_role("button", name="Delete the message").click()
    owner.page.get_by_role("dialog").last.locator("button[type=submit]").click()
    expect(owner.page.get_by_role("dialog").get_by_text("No reports.")).to_be_visible()
    expect(carl.page.locator(".text.gone")).to_have_text("This message was deleted.")


def test_a_report_shows_the_picture_as_it_was(owner):
    # A real copy is in the tests of the service; here each state has its place in the queue.
    server = Server(owner)
    kept = "/static/channelChats/portrait_0a.png"
    pictures = [{"state": "kept", "path": kept}, {"state": "waiting"}, {"state": "lost"}, None]
    reports = [
        {
            "report_id": str(number), "type": "user", "reason": "spam", "text": "", "createdAt": MOMENT, "state": "open",
            "user": {"user_id": "5", "nickname": "Ben", "profileImage": None}, **({"picture": picture} if picture else {}),
        }
        for number, picture in enumerate(pictures)
    ]  # fmt: skip
    server.answer("GET", "/reports", {"items": reports, "next": None})
    server.answer("POST", "/static/channelChats/links", {"links": [{"path": kept, "url": f"{kept}?signature=a", "expiresAt": MOMENT}]})
    owner.page.route(
        re.compile(r"portrait_0a\.png\?signature=a"), lambda route: route.fulfill(body=sky(30, 20), content_type="image/png")
    )
    dialog = open_page(owner, "Reports")
    image = dialog.get_by_role("img", name="The picture of Ben as it was reported")
    expect(image).to_be_visible()
    owner.until(lambda: image.evaluate("each => each.naturalWidth") == 30)
    lines = dialog.locator("li")
    expect(lines.nth(1)).to_contain_text("The picture is being copied.")
    expect(lines.nth(2)).to_contain_text("The picture was removed before it could be copied.")
    expect(lines.nth(3)).not_to_contain_text("picture")
    assert audit(owner.page) == []
    dialog.locator(".evidence").click()
    expect(owner.page.get_by_role("dialog", name="Picture").get_by_role("img")).to_be_visible()


def test_a_report_shows_the_files_of_its_messages(owner):
    # A real copy is in the tests of the service.
    server = Server(owner)
    sky_path, plan = "/static/channelChats/A%20bad%20sky_0a.png", "/static/channelChats/plan_0b.pdf"
    copy = {"user_id": "5", "nickname": "Ben", "content": "", "createdAt": MOMENT}
    report = {
        "report_id": "1", "type": "message", "reason": "spam", "text": "", "createdAt": MOMENT, "state": "open", "seq": 4,
        "user": {"user_id": "5", "nickname": "Ben", "profileImage": None},
    }  # fmt: skip
    with_files = {**report, "messages": [{**copy, "seq": 4, "content": "Look", "files": [sky_path, plan]}]}
    server.answer("GET", "/reports", {"items": [with_files, {**report, "report_id": "2", "messages": []}], "next": None})
    server.answer("POST", "/static/channelChats/links", {"links": [{"path": sky_path, "url": f"{sky_path}?signature=a", "expiresAt": MOMENT}]})
    owner.page.route(re.compile(r"sky_0a\.png\?signature=a"), lambda route: route.fulfill(body=sky(30, 20), content_type="image/png"))
    dialog = open_page(owner, "Reports")
    picture = dialog.get_by_role("button", name="Image A bad sky")
    owner.until(lambda: picture.locator("img").evaluate("each => each.naturalWidth") == 30)
    expect(dialog.locator("blockquote")).to_contain_text("Look")
    expect(dialog.get_by_role("button", name="Download plan")).to_be_visible()
    expect(dialog.locator("li.report").nth(1)).to_contain_text("No copy of the messages is kept.")
    assert audit(owner.page) == []
    picture.click()
    expect(owner.page.get_by_role("dialog", name="Picture").get_by_role("img", name="Image A bad sky")).to_be_visible()


def test_messages_of_a_blocked_author_are_hidden(owner, person):
    ben = person(name="Ben").join()
    owner.invite(ben)
    ben.page.reload()
    ben.enter("일반")
    ben.say("Buy my things")
    owner.sees("Buy my things")
    owner.message("Buy my things").locator(".author").click()
    owner.page.get_by_role("menuitem", name="Block").click()
    owner.page.get_by_role("dialog").get_by_role("button", name="Block").click()
    gone = owner.page.locator("maru-room .message .text.gone")
    expect(gone).to_have_text(["A message from a person you blocked."])
    owner.sees("Buy my things", 0)

    # A page that is loaded again and again renews its token more often than a person's.
    owner.expected += [r"status of 429"]

    # After the hint the server leaves the content out.
    def is_left_out():
        # The page of the newest messages; later calls ask for newer ones alone.
        with owner.page.expect_response(re.compile(r"/chats\?.*before_seq=")) as answer:
            owner.page.reload()
        return answer.value.ok and answer.value.json()[-1].get("blocked")

    owner.until(is_left_out)
    expect(gone).to_have_text(["A message from a person you blocked."])
    expect(owner.page.locator("maru-room .message")).to_have_count(1)
    assert audit(owner.page) == []
    ben.say("Buy more")
    expect(gone).to_have_count(2)


def test_the_audit_log_is_read_page_by_page(owner):
    server = Server(owner)
    entry = {"entry_id": "8", "at": MOMENT, "actor": "1", "detail": {}, "address": "127.0.0.1"}
    pages = [{"items": [{**entry, "action": "role.changed"}], "next": "8"}, {"items": [{**entry, "action": "something.new"}], "next": None}]
    server.answer("GET", "/audit", lambda: pages.pop(0))
    dialog = open_page(owner, "Audit log")
    expect(dialog.locator("li")).to_contain_text("Role changed")
    dialog.get_by_role("button", name="Show more").click()
    expect(dialog.locator("li").last).to_contain_text("something.new")
