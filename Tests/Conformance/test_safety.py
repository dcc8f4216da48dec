"""Blocks, reports, the standing of members and filtered words: how native and shipped apps see them."""

import contract
import pytest
from app import PASSWORD, App
from device import Device
from pictures import sky
from sockets import Sockets
from waiting import eventually

SHIPPED = [key for key in contract.KEYS if key != "native"]
BLOCKED = "차단한 사용자의 메시지입니다."


@pytest.fixture
def party(join):
    """The owner of a workspace, two members, and a channel with all three."""
    owner, victim, troll = join("native"), join("native"), join("native", nickname="트롤")
    workspace = owner.make_workspace(victim, troll)
    return owner, victim, troll, workspace, owner.make_channel(workspace, None, victim, troll)


@pytest.fixture
def block(party):
    """Lets a member block the troll, and returns when chat-service has heard of it, which is a moment later."""
    owner, victim, troll, workspace, _ = party
    seen = owner.make_channel(workspace, None, victim, troll)
    troll.say(seen, "before")

    def block(blocker):
        blocker.call("PUT", f"/users/{troll.id}/block")
        eventually(lambda: blocker.history(seen)[0].get("blocked"))

    return block


def test_a_blocked_author_reaches_nobody_who_has_blocked_them(product, party, block):
    owner, victim, troll, workspace, channel = party
    chats = f"{owner.path(channel)}/chats"
    block(victim)
    with Device(product, cookie=victim.cookie) as device, Device(product, cookie=owner.cookie) as other:
        assert device.ready and other.ready
        sent = troll.post(chats, {"content": f"<@{victim.id}> hello"}, "Chat")
        assert sent["content"] and "blocked" not in sent
        device.wait(lambda: device.of("message"))
        (message,) = device.messages(f"channel-{channel.id}")
        assert (message["content"], message["blocked"], message["mentions"]) == ("", True, [])
        other.wait(lambda: other.of("message"))
        assert other.messages(f"channel-{channel.id}")[0]["content"] == sent["content"]
        # The blocked user opens a DM and writes like anybody else, and the other one does not hear of it.
        room = troll.open_dm(workspace, victim)
        assert troll.whisper(workspace, room, "psst")["content"] == "psst"
        owner.say(channel, "later")
        device.wait(lambda: len(device.messages(f"channel-{channel.id}")) == 2)
        told = {each.get("room") for name in ("joined", "message", "room", "read") for each in device.of(name)}
        assert f"dm-{room}" not in told
    shown = victim.get(f"{chats}/1")
    assert (shown["content"], shown["blocked"], shown["files"]) == ("", True, [])
    (seen,) = (each for each in victim.get(f"/workspaces/{workspace}/rooms") if each.get("name") == channel.name)
    assert (seen["unreadCount"], seen["mentionCount"], seen["lastMessage"]["content"]) == (1, 0, "later")
    assert victim.get(f"/workspaces/{workspace}/mentions")["items"] == []
    assert victim.get(f"/workspaces/{workspace}/dms") == []
    assert [each["content"] for each in troll.get(chats)] == [sent["content"], "later"]
    victim.call("DELETE", f"/users/{troll.id}/block")
    eventually(lambda: "blocked" not in victim.get(f"{chats}/1"))
    assert len(victim.get(f"/workspaces/{workspace}/dms")) == 1


@pytest.mark.parametrize("key", SHIPPED)
def test_a_shipped_app_shows_a_text_in_the_place_of_a_blocked_message(product, party, block, join, key):
    owner, _, troll, workspace, channel = party
    app = join(key)
    owner.post(f"/workspaces/{workspace}/members", {"email": app.email})
    app.history(channel)
    # The same account blocks in a native app.
    native = App(product, "native")
    native.enter(native.post("/users/login", {"email": app.email, "password": PASSWORD, "deviceToken": ""}, "User"))
    block(native)
    with Sockets(product) as sockets:
        assert sockets.open(key, f"/ws-channel-{channel.id}", cookie=app.cookie)
        troll.say(channel, "secret")
        owner.say(channel, "open")
        eventually(lambda: len(sockets.heard(key)) == 2)
        assert [arguments[0]["content"] for _, arguments in sockets.heard(key)] == [BLOCKED, "open"]
    eventually(lambda: [each["content"] for each in app.history(channel)] == [BLOCKED, "open"])
    plain = {"channel_id", "channelName", "chat_id", "seq", "content", "createdAt", "files", "user"}
    assert all(set(each) == plain for each in app.history(channel))


def test_a_report_is_answered_by_the_owner(product, party):
    owner, victim, troll, workspace, channel = party
    chats = f"{owner.path(channel)}/chats"
    reports = f"/workspaces/{workspace}/reports"
    owner.say(channel, "before")
    troll.say(channel, "bad")
    report = {"type": "message", "room": f"channel-{channel.id}", "seq": 2, "reason": "harassment", "text": "look"}
    made = victim.post("/reports", report)
    assert made["state"] == "open" and "messages" not in made
    victim.refused("E14", "GET", reports)
    troll.call("PUT", f"{chats}/2", json={"content": "nice"})
    (found,) = owner.get(f"{reports}?state=open")["items"]
    assert [each["content"] for each in found["messages"]] == ["before", "bad"]
    assert found["user"]["user_id"] == troll.id and "reporter_id" not in found
    answered = owner.call("PUT", f"{reports}/{found['report_id']}", json={"action": "delete"})
    assert (answered["state"], answered["action"]) == ("answered", "delete")
    assert victim.get(f"{chats}/2")["deletedAt"]
    assert owner.get(reports)["items"] == []
    victim.post("/reports", {"type": "user", "user_id": troll.id, "workspace_id": str(workspace), "reason": "spam"})
    (found,) = owner.get(reports)["items"]
    owner.call("PUT", f"{reports}/{found['report_id']}", json={"action": "remove"})
    eventually(lambda: troll.send("GET", f"/workspaces/{workspace}").status_code != 200)


def test_a_report_shows_the_portrait_of_an_account_that_is_deleted(product, party):
    owner, victim, troll, workspace, _ = party
    sent = sky(30, 20)
    portrait = troll.form("PUT", "/users/me/image", {}, [("image", ("a.png", sent, "image/png"))])["profileImage"]
    reports = f"/workspaces/{workspace}/reports"
    made = victim.post("/reports", {"type": "user", "user_id": troll.id, "workspace_id": str(workspace), "reason": "sexual"})
    assert "picture" not in made

    def picture():
        return owner.get(reports)["items"][0]["picture"]

    eventually(lambda: picture()["state"] == "kept")
    path = picture()["path"]
    troll.call("DELETE", "/users/me", json={"password": PASSWORD, "messages": "keep"})
    eventually(lambda: owner.send("GET", portrait).status_code == 404)
    assert owner.send("GET", path).content == sent
    victim.refused("E13", "GET", path)


def test_a_muted_member_cannot_write_and_filtered_words_are_hidden(product, party):
    owner, victim, troll, workspace, channel = party
    chats = f"{owner.path(channel)}/chats"
    standing = f"/workspaces/{workspace}/standings/{troll.id}"
    owner.call("PUT", standing, json={"suspended": True})
    eventually(lambda: troll.send("POST", chats, json={"content": "x"}).status_code == 403)
    troll.refused("E14", "POST", chats, json={"content": "x"})
    assert troll.get(f"/workspaces/{workspace}/standing")["suspended"] is True
    owner.call("PUT", standing, json={})
    eventually(lambda: troll.send("POST", chats, json={"content": "back"}).status_code == 201)
    words = {"items": [{"word": "바보", "action": "mask"}, {"word": "spam", "action": "reject"}]}
    assert owner.call("PUT", f"/workspaces/{workspace}/filters", json=words) == words
    eventually(lambda: troll.post(chats, {"content": "바보야"})["content"] == "**야")
    with Device(product, cookie=troll.cookie) as device:
        refused = device.ask("send", {"room": f"channel-{channel.id}", "content": "SPAM", "client_id": "1"})
        assert refused["errorCode"] == "E11"
