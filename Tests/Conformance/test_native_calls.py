"""Native routes that no other test here calls with success. The reference is held against their replies."""

import base64
import hashlib
import hmac
import re
import struct
import time
from datetime import datetime, timedelta, timezone
from urllib.parse import quote

import pytest
from app import PASSWORD, App
from waiting import eventually


@pytest.fixture
def home(join):
    """An owner and a member of a workspace, with a channel and a DM that have a message each."""
    owner, member = join("native", nickname="주인"), join("native", nickname="손님")
    workspace = owner.make_workspace(member)
    channel = owner.make_channel(workspace, None, member)
    dm = owner.open_dm(workspace, member)
    owner.say(channel, "하나")
    owner.whisper(workspace, dm, "하나")
    rooms = owner.path(channel), f"/workspaces/{workspace}/dms/{dm}"
    return owner, member, workspace, channel, rooms


def test_changes_of_messages_in_both_kinds_of_rooms(home):
    owner, member, workspace, channel, rooms = home
    for room in rooms:
        one = f"{room}/chats/1"
        assert owner.get(one)["seq"] == 1
        owner.call("PUT", one, json={"content": "둘"})
        versions = owner.get(f"{one}/versions")
        assert [each["content"] for each in versions["items"]] == ["하나"] and versions["next"] is None
        reaction = f"{one}/reactions/{quote('👍')}"
        assert member.call("PUT", reaction)["reactions"][0]["mine"] is True
        assert member.call("DELETE", reaction)["reactions"] == []
        assert "pinnedAt" in owner.call("PUT", f"{one}/pin")
        assert len(owner.get(f"{room}/pins?limit=1")["items"]) == 1
        assert "pinnedAt" not in owner.call("DELETE", f"{one}/pin")
        owner.call("PUT", f"{one}/saved")
        assert owner.get("/users/me/saved")["items"][0]["message"]["seq"] == 1
        owner.call("DELETE", f"{one}/saved")
        assert owner.get(f"{room}/changes?after_rev=0")["complete"] is True


def test_threads_drafts_levels_and_readers_in_both_kinds_of_rooms(home):
    owner, member, workspace, channel, rooms = home
    for room in rooms:
        member.post(f"{room}/chats", {"content": "Antwort", "thread": 1})
        thread = f"{room}/chats/1/thread"
        assert [each["seq"] for each in owner.get(thread)["items"]] == [2]
        owner.call("DELETE", f"{thread}/follow")
        owner.call("PUT", f"{thread}/follow")
        assert owner.call("PUT", f"{thread}/read", json={"seq": 2}) == {"seq": 2}
        owner.call("PUT", f"{room}/draft", json={"content": "Entwurf"})
        assert owner.call("PUT", f"{room}/notify", json={"level": "mentions"}) == {"level": "mentions"}
        assert owner.id in {each["user_id"] for each in owner.get(f"{room}/readers")}
    listed = owner.get(f"/workspaces/{workspace}/rooms?with=threads")
    assert {each["notify"] for each in listed["rooms"] if "draft" in each} == {"mentions"}


def test_scheduled_messages_in_both_kinds_of_rooms(home):
    owner, member, workspace, channel, rooms = home
    for room in rooms:
        at = (datetime.now(timezone.utc) + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        made = owner.post(f"{room}/scheduled", {"content": "später", "at": at})
        one = f"/users/me/scheduled/{made['id']}"
        assert owner.call("PUT", one, json={"content": "noch später"})["content"] == "noch später"
        assert [each["id"] for each in owner.get("/users/me/scheduled")["items"]] == [made["id"]]
        owner.call("DELETE", one)


def test_roles_bans_and_blocks(home, join):
    owner, member, workspace, channel, rooms = home
    place = f"/workspaces/{workspace}"
    assert owner.get(f"{place}/role")["role"] == "owner"
    assert {each["role"] for each in owner.get(f"{place}/roles")["items"]} == {"owner", "member"}
    owner.call("PUT", f"{place}/members/{member.id}/role", json={"role": "admin"})
    member.call("PUT", f"/users/{owner.id}/block")
    assert [each["user"]["user_id"] for each in member.get("/users/me/blocks")["items"]] == [owner.id]
    member.call("DELETE", f"/users/{owner.id}/block")
    owner.call("PUT", f"{place}/bans/{member.id}")
    assert [each["user"]["user_id"] for each in owner.get(f"{place}/bans")["items"]] == [member.id]
    owner.call("DELETE", f"{place}/bans/{member.id}")
    assert owner.get(f"{place}/audit?action=member")["items"]


def test_invitations_requests_and_settings_of_a_workspace(home, join):
    owner, member, workspace, channel, rooms = home
    place, guest = f"/workspaces/{workspace}", join("native")
    invitation = owner.post(f"{place}/invitations", {"uses": 2})
    assert guest.post("/workspaces/invitations/preview", {"token": invitation["token"]})["role"] == "member"
    owner.call("DELETE", f"{place}/invitations/{invitation['invitation_id']}")
    assert owner.get(f"{place}/invitations")["items"][0]["state"] == "revoked"
    assert owner.get(f"{place}/settings")["joinRequests"] is False
    assert owner.get(f"{place}/second-factor")["next"] is None
    owner.call("PUT", f"{place}/settings", json={"joinRequests": True})
    guest.post(f"{place}/join-requests", {"text": "bitte"})
    assert owner.get(f"{place}/join-requests")["items"][0]["text"] == "bitte"
    guest.call("DELETE", f"{place}/join-requests")


def test_standings_filters_and_names(home):
    owner, member, workspace, channel, rooms = home
    place = f"/workspaces/{workspace}"
    words = {"items": [{"word": "verboten", "action": "mask"}]}
    assert owner.call("PUT", f"{place}/filters", json=words) == words
    assert owner.get(f"{place}/filters") == words
    until = (datetime.now(timezone.utc) + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    owner.call("PUT", f"{place}/standings/{member.id}", json={"mutedUntil": until})
    assert owner.get(f"{place}/standings")["items"][0]["user_id"] == member.id
    assert owner.get(f"{place}/find?q=손님")["users"]
    assert len(owner.get(f"{place}/search?keyword=손님")["workspaceMembers"]) == 1


def code_for(product, address):
    """The digits of the newest mail to an address."""

    def codes():
        mails = [each for each in product.standins("GET", "/mail/sent").json() if each["to"] == [address]]
        return [code for mail in mails for code in re.findall(r"\b\d{6}\b", mail["text"])]

    eventually(lambda: codes() != [])
    return codes()[-1]


def test_codes_by_mail_prove_an_address(product, join):
    app = join("native")
    app.post("/users/email/verification", {"email": app.email})
    app.call("PUT", "/users/email/verification", json={"email": app.email, "code": code_for(product, app.email)})
    new = f"new.{app.email}"
    app.post("/users/email/verification", {"email": new})
    change = {"password": PASSWORD, "email": new, "code": code_for(product, new)}
    assert app.call("PUT", "/users/me/email", json=change)["email"] == new
    changed = {"password": PASSWORD, "newPassword": "Maru-saessak-25!"}
    app.call("PUT", "/users/me/password", json=changed)
    app.call("DELETE", "/users/me", json={"password": "Maru-saessak-25!", "messages": "delete"})


def test_a_code_by_mail_sets_a_new_password(product, join):
    app = join("native")
    # A reset goes to verified addresses alone.
    app.post("/users/email/verification", {"email": app.email})
    first = code_for(product, app.email)
    app.call("PUT", "/users/email/verification", json={"email": app.email, "code": first})
    app.post("/users/password/reset", {"email": app.email})
    eventually(lambda: code_for(product, app.email) != first)
    reset = {"email": app.email, "code": code_for(product, app.email), "password": "Maru-saessak-25!"}
    App(product, "native").call("PUT", "/users/password/reset", json=reset)


def one_time_password(secret, step):
    mac = hmac.digest(base64.b32decode(secret + "=" * (-len(secret) % 8)), struct.pack(">Q", step), hashlib.sha1)
    start = mac[-1] & 15
    return f"{(struct.unpack('>I', mac[start : start + 4])[0] & 0x7FFFFFFF) % 1_000_000:06}"


def test_a_second_factor_from_its_begin_to_its_end(join):
    app, path = join("native"), "/users/me/second-factor"
    assert app.get(path) == {"enabled": False, "recoveryCodes": 0}
    secret = app.post(path, {"password": PASSWORD})["secret"]
    # Each step works once, and the neighbours of the present one are accepted.
    step = int(time.time()) // 30
    enabled = app.send("PUT", path, json={"code": one_time_password(secret, step - 1)})
    if not enabled.ok:
        # The clock has gone on to the next step.
        step += 1
        enabled = app.send("PUT", path, json={"code": one_time_password(secret, step - 1)})
    assert len(enabled.json()["recoveryCodes"]) == 10
    app.post(f"{path}/recovery-codes", {"code": one_time_password(secret, step)})
    app.call("DELETE", path, json={"code": one_time_password(secret, step + 1), "password": PASSWORD})


@pytest.mark.parametrize("key", ["sooda", "collatalk", "native"])
def test_signed_urls_of_every_folder(world):
    owner = world.owner
    for folder in ("profiles", "workspaces", "channels", "channelChats", "dmChats"):
        assert owner.post(f"/static/{folder}/links", {"paths": [f"/static/{folder}/none.png"]})["links"] is not None
