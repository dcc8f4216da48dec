"""Changes of messages by the native API, and the view of the other apps."""

from urllib.parse import quote

import contract
import pytest
from app import App
from sockets import Sockets
from waiting import eventually

SHIPPED = [key for key in contract.KEYS if key != "native"]
THUMB = quote("👍🏽")


@pytest.fixture(scope="module")
def party(worlds):
    """A native app that owns a workspace, and an app of each other key in it."""
    owner = worlds["native"].owner
    apps = {key: worlds[key].owner for key in SHIPPED}
    return owner, apps, owner.make_workspace(*apps.values())


def test_a_message_lives_in_a_native_client(product, party, join):
    owner, apps, workspace = party
    friend = join("native")
    owner.post(f"/workspaces/{workspace}/members", {"email": friend.email})
    channel = owner.make_channel(workspace, None, friend)
    chats = f"{owner.path(channel)}/chats"
    said = owner.say(channel, "오타가 있는 글")
    assert (said["seq"], said["rev"], said["reactions"]) == (1, 0, [])
    with Sockets(product) as sockets:
        assert sockets.open("friend", f"/ws-channel-{channel.id}", cookie=friend.cookie)

        def changed(rev):
            """The message of the event that brought this revision."""
            found = []

            def arrived():
                events = [arguments for event, arguments in sockets.heard("friend") if event == "changed"]
                assert all(each[0]["room"] == f"channel-{channel.id}" and len(each) == 1 for each in events)
                found[:] = [each[0]["message"] for each in events if each[0]["message"]["rev"] >= rev]
                return found

            eventually(arrived)
            return found[0]

        edited = owner.call("PUT", f"{chats}/1", "Chat", json={"content": "고친 글"})
        assert (edited["content"], edited["rev"]) == ("고친 글", 1) and edited["editedAt"]
        assert changed(1)["content"] == "고친 글"
        versions = owner.get(f"{chats}/1/versions")
        assert [each["content"] for each in versions["items"]] == ["오타가 있는 글"] and versions["next"] is None
        reacted = friend.call("PUT", f"{chats}/1/reactions/{THUMB}", "Chat")
        assert reacted["reactions"] == [{"emoji": "👍🏽", "count": 1, "users": [friend.id], "mine": True}]
        assert changed(2)["reactions"] == [{"emoji": "👍🏽", "count": 1, "users": [friend.id]}]
        assert friend.call("PUT", f"{chats}/1/reactions/{THUMB}")["rev"] == 2
        assert owner.get(f"{chats}/1")["reactions"][0]["mine"] is False
        pinned = friend.call("PUT", f"{chats}/1/pin", "Chat")
        assert pinned["pinnedBy"] == friend.id and changed(3)["pinnedAt"] == pinned["pinnedAt"]
        assert [each["seq"] for each in owner.get(f"{owner.path(channel)}/pins")["items"]] == [1]
        friend.call("PUT", f"{chats}/1/saved")
        (saved,) = friend.get("/users/me/saved")["items"]
        assert saved["room"] == f"channel-{channel.id}" and saved["message"]["seq"] == 1
        friend.refused("E14", "DELETE", f"{chats}/1")
        tombstone = owner.call("DELETE", f"{chats}/1", "Chat")
        assert (tombstone["content"], tombstone["files"], tombstone["reactions"]) == ("", [], [])
        assert tombstone["deletedAt"] and changed(4)["deletedAt"] == tombstone["deletedAt"]
    changes = friend.get(f"{owner.path(channel)}/changes?after_rev=0")
    assert ([each["seq"] for each in changes["items"]], changes["rev"], changes["complete"]) == ([1], 4, True)
    assert friend.get("/users/me/saved")["items"] == []
    assert owner.get(f"{owner.path(channel)}/pins")["items"] == []
    owner.refused("E13", "PUT", f"{chats}/1", json={"content": "zurück"})


def test_owners_delete_messages_of_others(party, join):
    owner, _, workspace = party
    friend, other = join("native"), join("native")
    for app in (friend, other):
        owner.post(f"/workspaces/{workspace}/members", {"email": app.email})
    channel = friend.make_channel(workspace, None, owner, other)
    chats = f"{owner.path(channel)}/chats"
    for _ in range(2):
        other.say(channel, "Werbung")
    # The owner of the channel, and the owner of the workspace.
    assert friend.call("DELETE", f"{chats}/1")["deletedAt"]
    assert owner.call("DELETE", f"{chats}/2")["deletedAt"]
    friend.say(channel, "mine")
    other.refused("E14", "DELETE", f"{chats}/3")
    owner.get(f"{chats}/3/versions")
    other.refused("E14", "GET", f"{chats}/3/versions")


def test_a_dm_changes_like_a_channel(party, join):
    owner, _, workspace = party
    friend = join("native")
    owner.post(f"/workspaces/{workspace}/members", {"email": friend.email})
    room = owner.open_dm(workspace, friend)
    chats = f"/workspaces/{workspace}/dms/{room}/chats"
    owner.whisper(workspace, room, "하나")
    assert owner.call("PUT", f"{chats}/1", "Dm", json={"content": "둘"})["rev"] == 1
    assert friend.call("PUT", f"{chats}/1/reactions/{THUMB}", "Dm")["rev"] == 2
    assert friend.call("PUT", f"{chats}/1/pin", "Dm")["pinnedBy"] == friend.id
    friend.refused("E14", "PUT", f"{chats}/1", json={"content": "drei"})
    assert owner.call("DELETE", f"{chats}/1", "Dm")["deletedAt"]
    assert friend.get(f"/workspaces/{workspace}/dms/{room}/unreads")["count"] == 0


@pytest.mark.parametrize("key", SHIPPED)
def test_a_shipped_app_sees_the_texts_and_tombstones_of_a_dm(product, party, key):
    owner, apps, workspace = party
    app: App = apps[key]
    room = app.open_dm(workspace, owner)
    chats = f"/workspaces/{workspace}/dms/{room}/chats"
    for text in ("하나", "둘", "셋"):
        owner.post(chats, {"content": text})
    owner.call("PUT", f"{chats}/1", json={"content": f"eins <@{app.id}>"})
    owner.call("PUT", f"{chats}/2/reactions/{THUMB}")
    owner.post(chats, {"content": "답글", "thread": 2})
    owner.call("DELETE", f"{chats}/3")
    history = app.get(f"/workspaces/{workspace}/dms/{owner.id if app.is_first else room}/chats?cursor_date=")
    chats = history["chats"] if isinstance(history, dict) else history
    members = owner.get(f"/workspaces/{workspace}/members")
    named = f"eins @{next(each['nickname'] for each in members if each['user_id'] == str(app.id))}"
    assert [each["content"] for each in chats] == [named, "둘", "삭제된 메시지입니다.", "답글"]
    plain = {"dm_id", "room_id", "seq", "content", "createdAt", "files", "user"}
    assert all(set(each) == plain and each["files"] == [] for each in chats)


@pytest.mark.parametrize("key", SHIPPED)
def test_a_shipped_app_sees_texts_and_tombstones_and_hears_of_nothing(product, party, key):
    owner, apps, workspace = party
    app: App = apps[key]
    channel = owner.make_channel(workspace)
    chats = f"{owner.path(channel)}/chats"
    app.history(channel)
    for text in ("하나", "둘", "셋"):
        owner.say(channel, text)
    unreads = f"{app.path(channel)}/unreads?after=1999-01-01T00:00:00.000Z"
    assert app.get(unreads, "ChannelUnreads")["count"] == 3
    with Sockets(product) as sockets:
        assert sockets.open(key, f"/ws-channel-{channel.id}", cookie=app.cookie)
        owner.call("PUT", f"{chats}/1", json={"content": "eins"})
        owner.call("PUT", f"{chats}/2/reactions/{THUMB}")
        owner.call("PUT", f"{chats}/2/pin")
        owner.call("DELETE", f"{chats}/3")
        owner.say(channel, "넷")
        eventually(lambda: "넷" in [arguments[0]["content"] for _, arguments in sockets.heard(key)])
        assert {event for event, _ in sockets.heard(key)} == {"channel"}
    history = app.history(channel)
    assert [each["content"] for each in history] == ["eins", "둘", "삭제된 메시지입니다.", "넷"]
    plain = {"channel_id", "channelName", "chat_id", "seq", "content", "createdAt", "files", "user"}
    assert all(set(each) == plain for each in history)
    assert app.get(unreads, "ChannelUnreads")["count"] == 3
    if not app.is_first:
        for method, path in (("PUT", "/1"), ("DELETE", "/1"), ("GET", "/1"), ("PUT", f"/1/reactions/{THUMB}")):
            app.refused("E97", method, f"{app.path(channel)}/chats{path}", json={"content": "x"})
        app.refused("E97", "GET", f"{app.path(channel)}/changes")
    app.refused("E97", "GET", "/users/me/saved")
