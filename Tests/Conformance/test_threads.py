"""Threads and mentions of the native API, and the view of the other apps."""

import contract
import pytest
from app import App
from sockets import Sockets
from waiting import eventually

SHIPPED = [key for key in contract.KEYS if key != "native"]


@pytest.fixture(scope="module")
def party(worlds):
    """A native app that owns a workspace, and an app of each other key in it."""
    owner = worlds["native"].owner
    apps = {key: worlds[key].owner for key in SHIPPED}
    return owner, apps, owner.make_workspace(*apps.values())


def test_a_thread_lives_beside_the_timeline(product, party, join):
    owner, _, workspace = party
    friend = join("native")
    owner.post(f"/workspaces/{workspace}/members", {"email": friend.email})
    channel = owner.make_channel(workspace, None, friend)
    chats = f"{owner.path(channel)}/chats"
    owner.say(channel, "질문 있어요")
    with Sockets(product) as sockets:
        assert sockets.open("friend", f"/ws-channel-{channel.id}", cookie=friend.cookie)

        def heard(event):
            return [arguments[0] for name, arguments in sockets.heard("friend") if name == event]

        aside = owner.post(chats, {"content": f"<@{friend.id}>님 보세요", "thread": 1}, "Chat")
        assert aside["thread"] == {"root": 1} and aside["mentions"] == [{"type": "user", "user_id": friend.id}]
        shown = friend.post(chats, {"content": "네", "thread": 2, "toRoom": True}, "Chat")
        assert shown["thread"] == {"root": 1, "toRoom": True}
        eventually(lambda: len([each for each in heard("channel") if "thread" in each]) == 2)
        assert [each["thread"] for each in heard("channel") if "thread" in each] == [aside["thread"], shown["thread"]]
        eventually(lambda: any(each["message"]["replies"]["count"] == 2 for each in heard("changed")))
    assert [each["seq"] for each in owner.get(chats)] == [1, 3]
    assert [each["seq"] for each in owner.get(f"{chats}?threads=inline")] == [1, 2, 3]
    thread = friend.get(f"{chats}/2/thread")
    assert [each["seq"] for each in thread["items"]] == [2, 3] and thread["root"]["replies"]["users"][0] == friend.id
    (followed,) = friend.get(f"/workspaces/{workspace}/threads")["items"]
    assert (followed["unreadCount"], followed["lastReply"]["seq"]) == (0, 3)
    (mention,) = friend.get(f"/workspaces/{workspace}/mentions")["items"]
    assert mention["room"] == f"channel-{channel.id}" and mention["message"]["seq"] == 2
    owner.post(chats, {"content": "고마워요", "thread": 1})
    (followed,) = friend.get(f"/workspaces/{workspace}/threads")["items"]
    assert followed["unreadCount"] == 1
    assert friend.get(f"/workspaces/{workspace}/rooms?with=threads")["threads"] == {"unreadCount": 1, "mentionCount": 0}
    assert friend.call("PUT", f"{chats}/1/thread/read", json={"seq": 4}) == {"seq": 4}
    owner.refused("E13", "POST", chats, json={"content": "x", "thread": 99})
    owner.refused("E11", "POST", chats, json={"content": "x", "toRoom": True})


@pytest.mark.parametrize("key", SHIPPED)
def test_a_shipped_app_sees_replies_as_ordinary_messages(product, party, key):
    owner, apps, workspace = party
    app: App = apps[key]
    channel = owner.make_channel(workspace)
    chats = f"{owner.path(channel)}/chats"
    app.history(channel)
    with Sockets(product) as sockets:
        assert sockets.open(key, f"/ws-channel-{channel.id}", cookie=app.cookie)
        owner.say(channel, "하나")
        owner.post(chats, {"content": f"둘 <@{owner.id}>", "thread": 1})
        owner.say(channel, "셋")
        eventually(lambda: "셋" in [arguments[0]["content"] for _, arguments in sockets.heard(key)])
        named = "둘 @주인"
        assert [(event, arguments[0]["content"]) for event, arguments in sockets.heard(key)] == [
            ("channel", text) for text in ("하나", named, "셋")
        ]
    history = app.history(channel)
    assert [each["content"] for each in history] == ["하나", named, "셋"]
    plain = {"channel_id", "channelName", "chat_id", "seq", "content", "createdAt", "files", "user"}
    assert all(set(each) == plain for each in history)
    if not app.is_first:
        app.refused("E97", "GET", f"{app.path(channel)}/chats/1/thread")
    app.refused("E97", "GET", f"/workspaces/{workspace}/threads")
