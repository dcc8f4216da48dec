"""The events that native clients send on the `/me` socket."""

import contextlib
import time

import pytest
from device import Device
from socketio.exceptions import BadNamespaceError
from waiting import eventually


@pytest.fixture
def pair(join):
    """A user and a friend, with a channel and a DM."""
    owner, friend = join("native"), join("native")
    workspace = owner.make_workspace(friend)
    channel = owner.make_channel(workspace, None, friend)
    return owner, friend, channel, f"channel-{channel.id}", f"dm-{owner.open_dm(workspace, friend)}"


def test_a_send_is_one_message_however_often_it_is_repeated(product, pair):
    owner, friend, channel, room, dm = pair
    with Device(product, cookie=owner.cookie) as device, Device(product, cookie=friend.cookie) as other:
        assert device.ready and other.ready
        message = {"room": room, "content": "안녕", "client_id": "c-1"}
        sent = device.ask("send", message)["message"]
        assert (sent["seq"], sent["content"], sent["client_id"]) == (1, "안녕", "c-1")
        assert device.ask("send", message)["message"]["chat_id"] == sent["chat_id"]
        assert device.ask("send", message | {"content": "other"})["errorCode"] == "E11"
        for number in range(20):
            device.tell("send", {"room": dm, "content": f"{number}" * 500, "client_id": f"n-{number}"})
        other.wait(lambda: len(other.messages(dm)) == 20)
        assert [each["content"] for each in other.messages(dm)] == [f"{number}" * 500 for number in range(20)]
        assert [each["seq"] for each in other.messages(room)] == [1]
        device.wait(lambda: len(device.messages(dm)) == 20)
        assert owner.get(f"{owner.path(channel)}/chats/1")["content"] == "안녕"
        long = device.ask("send", {"room": room, "content": "글" * 10_000, "client_id": "long"})
        assert long["message"]["seq"] == 2


def test_errors_say_what_is_wrong(product, pair, join):
    owner, friend, channel, room, dm = pair
    stranger = join("native")
    with Device(product, cookie=stranger.cookie) as device:
        assert device.ready
        message = {"room": room, "content": "hello", "client_id": "c"}
        assert device.ask("send", message)["errorCode"] == "E13"
        assert device.ask("send", {"room": room, "content": "x"})["errorCode"] == "E11"
        assert device.ask("read", {"room": dm, "seq": 1})["errorCode"] == "E13"
        assert device.ask("history", {"room": room, "limit": 0})["errorCode"] == "E11"
        assert device.ask("typing", {"room": room})["errorCode"] == "E13"
        assert device.ask("shout", {})["errorCode"] == "E97"


def test_history_and_reads_answer_as_by_http(product, pair):
    owner, friend, channel, room, dm = pair
    for number in range(1, 8):
        friend.say(channel, f"{number}")
    friend.call("PUT", f"{friend.path(channel)}/chats/2", json={"content": "zwei"})
    with Device(product, cookie=owner.cookie) as device:
        assert device.room(room)["unreadCount"] == 7

        def seqs(**argument):
            return [each["seq"] for each in device.ask("history", {"room": room} | argument)]

        assert seqs(afterSeq=2, limit=3) == [3, 4, 5]
        assert seqs(beforeSeq=3, limit=50) == [1, 2]
        assert seqs(limit=2) == [6, 7]
        by_http = owner.get(f"{owner.path(channel)}/chats?after_seq=0&limit=7")
        assert device.ask("history", {"room": room, "afterSeq": 0}) == by_http
        changes = device.ask("history", {"room": room, "afterRev": 0})
        assert changes == owner.get(f"{owner.path(channel)}/changes?after_rev=0")
        friend.say(channel, "8")
        assert device.ask("read", {"room": room, "seq": 8}) == {"seq": 8}
    with Device(product, cookie=owner.cookie) as device:
        assert (device.room(room)["unreadCount"], device.room(room)["readSeq"]) == (0, 8)


def test_typing_is_told_to_the_others_once_in_three_seconds(product, pair):
    owner, friend, channel, room, dm = pair
    with Device(product, cookie=owner.cookie) as device, Device(product, cookie=friend.cookie) as other:
        assert device.ready and other.ready
        # A device that has heard a message of a room is subscribed to it, and hears of typing.
        for told in (room, dm):
            device.ask("send", {"room": told, "content": "안녕", "client_id": told})
            other.wait(lambda: other.messages(told))
        began = time.monotonic()
        for _ in range(5):
            assert device.ask("typing", {"room": room}) == {}
        seconds = time.monotonic() - began
        assert device.ask("typing", {"room": dm}) == {}
        # Each room has an order of its own.
        for told in (room, dm):
            other.first("typing", lambda each: each["room"] == told)
        told = [each["room"] for each in other.of("typing")]
        assert set(told) == {room, dm} and told.count(dm) == 1 and told.count(room) <= 1 + seconds // 3
        assert all(each["user_id"] == owner.id for each in other.of("typing"))
        settings = owner.get("/users/me/settings") | {"typing": False}
        owner.another_device().call("PUT", "/users/me/settings", json=settings)
        device.first("settings")
        assert device.of("typing") == []


def test_a_flood_is_refused_and_its_neighbours_go_on(product, pair):
    owner, friend, channel, room, dm = pair
    with Device(product, cookie=owner.cookie) as device, Device(product, cookie=friend.cookie) as other:
        assert device.ready and other.ready
        began = time.monotonic()
        for number in range(130):
            device.tell("typing", {"room": room})
        replies = [device.ask("typing", {"room": room})]
        # Twenty a second are admitted after the burst, so that a machine that stood still gets more of them through.
        assert "errorCode" in replies[0] or time.monotonic() - began >= 1.5

        def is_refused():
            if "errorCode" not in replies[-1]:
                # On a slow machine a call at a time is no flood.
                for number in range(40):
                    device.tell("typing", {"room": room})
                replies.append(device.ask("typing", {"room": room}))
            return "errorCode" in replies[-1]

        eventually(is_refused, pause=0)
        refused = replies[-1]
        assert refused["errorCode"] == "E98" and refused["retryAfter"] > 0
        assert other.ask("typing", {"room": room}) == {}
        with contextlib.suppress(BadNamespaceError):
            for number in range(1000):
                device.tell("typing", {"room": room})
        device.wait(lambda: device.is_closed)
        assert other.ask("send", {"room": room, "content": "still here", "client_id": "s"})["message"]
