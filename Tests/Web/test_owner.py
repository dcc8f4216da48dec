"""The owner's pages, invitations and the second factor, each against replies in the form of the server's routes."""

import json
import re

import pytest
from person import PASSWORD, counter
from playwright.sync_api import expect
from test_views import audit

MOMENT = "2026-11-24T05:06:07.123Z"
LATER = "2030-01-01T00:00:00.000Z"


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


def test_a_link_is_made_copied_and_revoked(owner):
    server, made = Server(owner), []
    invitation = {"invitation_id": "7", "kind": "link", "state": "open", "role": "guest", "channels": [], "token": "abc", "uses": 5, "used": 2}
    server.answer("GET", "/invitations", lambda: {"items": made, "next": None})
    server.answer("POST", "/invitations", lambda: made.append({**invitation, "createdAt": MOMENT, "expiresAt": LATER}) or made[0], 201)
    server.answer("DELETE", "/invitations/7", lambda: made.clear() or {})
    owner.context.grant_permissions(["clipboard-read", "clipboard-write"])
    dialog = open_page(owner, "Invitation links")
    expect(dialog.get_by_text("There is no invitation.")).to_be_visible()
    dialog.locator("[name=role]").select_option("guest")
    dialog.locator("[name=uses]").fill("5")
    dialog.get_by_role("button", name="Make a link").click()
    expect(dialog.locator("li")).to_contain_text("Guest · used 2 of 5 times")
    assert server.heard("POST", "/invitations") == [{"role": "guest", "expiresIn": 7 * 86_400, "uses": 5}]
    assert audit(owner.page) == []
    dialog.get_by_role("button", name="Copy the link").click()
    expect(owner.page.locator(".toast")).to_contain_text("Copied")
    assert owner.page.evaluate("navigator.clipboard.readText()") == f"{owner.product.base}/#/join/abc"
    dialog.get_by_role("button", name="Revoke").click()
    expect(dialog.locator("li")).to_have_count(0)


def test_a_link_leads_to_a_question_and_into_the_workspace(owner):
    server = Server(owner)
    workspace = {"workspace_id": owner.page.url.split("/")[4], "name": "The other house", "description": "Quiet"}
    server.answer("POST", "/invitations/preview", {"workspace": workspace, "role": "member", "invitedBy": "Ben", "expiresAt": LATER})
    server.answer("POST", "/invitations/accept", workspace)
    owner.page.goto(f"{owner.product.base}/#/join/a-token")
    dialog = owner.page.get_by_role("dialog")
    expect(dialog).to_contain_text("Ben invites you as Member.")
    assert "a-token" not in owner.page.url
    assert audit(owner.page) == []
    dialog.get_by_role("button", name="Join").click()
    expect(dialog).to_have_count(0)
    assert server.heard("POST", "/accept") == [{"token": "a-token"}]


def test_roles_are_seen_and_changed(owner):
    server, role = Server(owner), ["member"]
    user = {"user_id": "999", "email": "ben@example.com", "nickname": "Ben", "profileImage": None}
    me = {"user_id": "1", "email": owner.email, "nickname": "Anna", "profileImage": None}
    everybody = lambda: {"items": [{"user": me, "role": "owner", "joinedAt": MOMENT}, {"user": user, "role": role[0], "joinedAt": MOMENT}], "next": None}  # noqa: E731
    server.answer("GET", "/roles", everybody)
    server.answer("PUT", "/members/999/role", lambda: role.__setitem__(0, "admin") or {})
    dialog = open_page(owner, "Roles")
    box = dialog.get_by_role("combobox", name="Role of Ben")
    expect(box).to_have_value("member")
    assert audit(owner.page) == []
    box.select_option("admin")
    expect(box).to_have_value("admin")
    assert server.heard("PUT", "/role") == [{"role": "admin"}]


def test_a_report_shows_the_messages_and_is_answered(owner):
    server = Server(owner)
    message = {"user_id": "9", "files": [], "createdAt": MOMENT}
    report = {
        "report_id": "3", "type": "message", "reason": "harassment", "text": "Please look", "createdAt": MOMENT, "state": "open",
        "user": {"user_id": "9", "nickname": "Carl", "profileImage": None}, "room": "channel-1", "seq": 5,
        "messages": [{**message, "seq": 4, "nickname": "Dora", "content": "Stop it"}, {**message, "seq": 5, "nickname": "Carl", "content": "Never"}],
    }  # fmt: skip
    waiting = [report]
    server.answer("GET", "/reports", lambda: {"items": waiting, "next": None})
    server.answer("PUT", "/reports/3", lambda: waiting.clear() or report)
    dialog = open_page(owner, "Reports")
    expect(dialog.locator("blockquote.reported")).to_have_text("Carl Never")
    expect(dialog.locator("li")).to_contain_text("Carl is reported · Harassment")
    assert audit(owner.page) == []
    dialog.get_by_role("button", name="Warn").click()
    owner.page.get_by_role("dialog").last.locator("button[type=submit]").click()
    expect(owner.page.get_by_role("dialog").get_by_text("Nothing is reported.")).to_be_visible()
    assert server.heard("PUT", "/reports/3") == [{"action": "warn"}]


def test_the_audit_log_is_read_page_by_page(owner):
    server = Server(owner)
    entry = {"entry_id": "8", "at": MOMENT, "actor": "1", "detail": {}, "address": "127.0.0.1"}
    pages = [{"items": [{**entry, "action": "role.changed"}], "next": "8"}, {"items": [{**entry, "action": "something.new"}], "next": None}]
    server.answer("GET", "/audit", lambda: pages.pop(0))
    dialog = open_page(owner, "Audit log")
    expect(dialog.locator("li")).to_contain_text("Role changed")
    assert audit(owner.page) == []
    dialog.get_by_role("button", name="Show more").click()
    expect(dialog.locator("li").last).to_contain_text("something.new")


def test_a_second_factor_is_turned_on_and_asked_for(owner):
    server = Server(owner)
    server.answer("GET", "/second-factor", {"enabled": False, "recoveryCodes": 0})
    server.answer("POST", "/me/second-factor", {"secret": "JBSWY3DPEHPK3PXP", "url": "otpauth://totp/Maru:a?secret=JBSWY3DPEHPK3PXP"})
    server.answer("PUT", "/me/second-factor", {"recoveryCodes": ["aaaa-bbbb", "cccc-dddd"]})
    owner.menu("Account and security")
    owner.page.get_by_role("dialog").get_by_role("button", name="Show: Second factor").click()
    dialog = owner.page.get_by_role("dialog")
    dialog.locator("[name=password]").fill(PASSWORD)
    dialog.get_by_role("button", name="Next").click()
    expect(dialog).to_contain_text("JBSW Y3DP EHPK 3PXP")
    assert audit(owner.page) == []
    dialog.locator("[name=code]").fill("123456")
    dialog.get_by_role("button", name="Turn on").click()
    expect(dialog.locator("li")).to_have_text(["aaaa-bbbb", "cccc-dddd"])
    owner.page.keyboard.press("Escape")

    owner.expected += [r"status of 401"]
    owner.menu("Sign out")
    failure = {"errorCode": "E07", "status": 401, "detail": "A code.", "ticket": "t-1", "expiresAt": LATER}
    server.answer("POST", "/users/login", failure, 401)
    server.answer("POST", "/users/login/second-factor", {"errorCode": "E11", "status": 400, "detail": "Wrong."}, 400)
    owner.expected += [r"status of 400"]
    page = owner.page
    page.locator("[name=email]").fill(owner.email)
    page.locator("[name=password]").fill(PASSWORD)
    page.locator("button[type=submit]").click()
    page.get_by_role("checkbox", name="Do not ask again on this device").check()
    page.locator("[name=code]").fill("654321")
    assert audit(page) == []
    page.locator("button[type=submit]").click()
    expect(page.get_by_role("alert")).not_to_be_empty()
    assert server.heard("POST", "login/second-factor")[-1] == {"ticket": "t-1", "code": "654321", "remember": True}
