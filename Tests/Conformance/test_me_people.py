"""People and workspaces on the `/me` socket: presence, badges, profiles, members, channels."""

import pytest
from device import Device
from waiting import eventually

ONE_SECOND = 1.0


@pytest.fixture
def pair(join):
    """A user and a friend, with a channel and a DM."""
    owner, friend = join("native", nickname="주인"), join("native", nickname="친구")
    workspace = owner.make_workspace(friend)
    channel = owner.make_channel(workspace, None, friend)
    return owner, friend, workspace, channel


def state(device, user):
    """The newest presence of a user that a device was told; None if it was told nothing."""
    told = [each["users"][user.id] for each in device.of("presence") if user.id in each["users"]]
    return told[-1] if told else None


def until(device, user, wanted):
    device.wait(lambda: state(device, user) == wanted)


@pytest.mark.parametrize("transports, deflate", [(["polling"], False), (["websocket"], False), (["websocket"], True)])
def test_presence_is_told_to_those_who_watch_and_share_a_workspace(product, pair, join, transports, deflate):
    owner, friend, workspace, channel = pair
    stranger = join("native")
    options = {"transports": transports, "deflate": deflate}
    with Device(product, cookie=owner.cookie, **options) as device, Device(product, cookie=stranger.cookie, **options) as other:
        assert device.ready and other.ready
        assert device.ask("presence", {"users": [friend.id, owner.id]}) == {}
        assert other.ask("presence", {"users": [friend.id]}) == {}
        until(device, friend, "offline")
        until(device, owner, "online")
        with Device(product, cookie=friend.cookie) as phone, Device(product, cookie=friend.another_device().cookie) as laptop:
            assert phone.ready and laptop.ready
            until(device, friend, "online")
            assert phone.ask("presence", {"state": "away"}) == {}
            laptop.ask("presence", {"state": "away"})
            until(device, friend, "away")
            phone.ask("presence", {"state": "active"})
            until(device, friend, "online")
            # Without shared presence the user looks offline.
            settings = friend.get("/users/me/settings")
            friend.call("PUT", "/users/me/settings", json=settings | {"presence": False})
            until(device, friend, "offline")
            friend.call("PUT", "/users/me/settings", json=settings)
            until(device, friend, "online")
        until(device, friend, "offline")
        assert {state(other, friend)} == {"offline"}, "a stranger is told nothing else"
        assert {user for each in device.of("presence") for user in each["users"]} == {friend.id, owner.id}


@pytest.mark.parametrize("transports", [["polling"], ["websocket"]])
def test_a_client_that_is_far_behind_resumes_by_any_transport(product, pair, transports):
    owner, friend, workspace, channel = pair
    room = f"channel-{channel.id}"
    for number in range(60):
        friend.say(channel, f"{number}")
    with Device(product, cookie=owner.cookie, cursors={room: [5, 0]}, transports=transports) as device:
        device.wait(lambda: len(device.messages(room)) == 55)
        friend.say(channel, "live")
        device.wait(lambda: len(device.messages(room)) == 56)
        assert [each["seq"] for each in device.messages(room)] == list(range(6, 62))


def test_a_list_of_watched_users_replaces_the_last_one_and_is_bounded(product, pair):
    owner, friend, workspace, channel = pair
    with Device(product, cookie=owner.cookie) as device:
        assert device.ready
        device.ask("presence", {"users": [friend.id]})
        until(device, friend, "offline")
        device.ask("presence", {"users": []})
        with Device(product, cookie=friend.cookie) as other:
            assert other.ready
            other.ask("presence", {"users": [owner.id]})
            until(other, owner, "online")
            assert state(device, friend) == "offline"
        assert device.ask("presence", {"users": [str(each) for each in range(501)]})["errorCode"] == "E11"
        assert device.ask("presence", {"users": [friend.id, "somebody"]})["errorCode"] == "E11"
        assert device.ask("presence", {})["errorCode"] == "E11"


def test_presence_and_typing_do_not_cross_a_block(product, pair):
    owner, friend, workspace, channel = pair
    room = f"channel-{channel.id}"
    with Device(product, cookie=owner.cookie) as device, Device(product, cookie=friend.cookie) as other:
        assert device.ready and other.ready
        for one, person in ((device, friend), (other, owner)):
            one.ask("presence", {"users": [person.id]})
            until(one, person, "online")
        owner.call("PUT", f"/users/{friend.id}/block")
        until(device, friend, "offline")
        until(other, owner, "offline")
        device.ask("typing", {"room": room})
        other.ask("typing", {"room": room})
        owner.call("DELETE", f"/users/{friend.id}/block")
        until(device, friend, "online")
        until(other, owner, "online")
        assert device.of("typing") == other.of("typing") == []


def test_the_badge_is_the_sum_of_the_rooms_as_a_push_shows_it(product, pair):
    owner, friend, workspace, channel = pair
    room = f"channel-{channel.id}"
    dm = friend.open_dm(workspace, owner)

    def badge(each):
        return (each.of("badge") or [{}])[-1]

    with Device(product, cookie=owner.cookie) as device:
        device.wait(lambda: badge(device) == {"unreadCount": 0, "mentionCount": 0})
        friend.say(channel, "하나")
        friend.say(channel, "@주인 둘")
        friend.whisper(workspace, dm, "셋")
        device.wait(lambda: badge(device) == {"unreadCount": 3, "mentionCount": 1})
        # Reading on one device tells all of them.
        laptop = owner.another_device()
        with Device(product, cookie=laptop.cookie) as second:
            second.wait(lambda: badge(second) == {"unreadCount": 3, "mentionCount": 1})
            assert sum(each["unreadCount"] for each in second.ready["rooms"]) == 3
            second.ask("read", {"room": room, "seq": 2})
            for each in (device, second):
                each.wait(lambda: badge(each) == {"unreadCount": 1, "mentionCount": 0})
            read = device.first("read")
            assert read == {"room": room, "user_id": owner.id, "seq": 2, "unreadCount": 0, "mentionCount": 0}
        friend.call("DELETE", f"/workspaces/{workspace}/dms/{dm}/chats/1")
        device.wait(lambda: badge(device) == {"unreadCount": 0, "mentionCount": 0})


def test_a_thread_that_is_read_changes_the_badge(product, pair):
    owner, friend, workspace, channel = pair
    room = f"channel-{channel.id}"
    owner.say(channel, "root")
    with Device(product, cookie=owner.cookie) as device, Device(product, cookie=friend.cookie) as other:
        assert device.ready and other.ready
        other.ask("send", {"room": room, "content": "reply", "client_id": "r", "thread": 1})
        device.wait(lambda: device.of("badge") and device.of("badge")[-1]["unreadCount"] == 1)
        device.ask("read", {"room": room, "seq": 2, "thread": 1})
        device.wait(lambda: device.of("badge")[-1]["unreadCount"] == 0)


def test_channels_workspaces_and_members_are_told_as_they_change(product, pair, join):
    owner, friend, workspace, channel = pair
    with Device(product, cookie=friend.cookie) as device:
        assert device.ready
        made = owner.make_channel(workspace, "새 채널")
        created = device.first("room", lambda each: each["type"] == "created")
        assert (created["room"], created["name"], created["workspace_id"]) == (f"channel-{made.id}", "새 채널", str(workspace))
        shown = owner.get(f"/workspaces/{workspace}/channels/{made.id}")
        assert {name: created[name] for name in shown if name in created} == {
            name: shown[name] for name in shown if name in created
        } and created["owner_id"] == owner.id
        owner.form("PUT", f"/workspaces/{workspace}/channels/{made.id}", {"name": "다른 이름"})
        edited = device.first("room", lambda each: each["type"] == "edited")
        assert edited["name"] == "다른 이름"
        owner.call("DELETE", f"/workspaces/{workspace}/channels/{made.id}")
        gone = device.first("room", lambda each: each["type"] == "deleted")
        assert gone == {
            "type": "deleted", "room": f"channel-{made.id}", "workspace_id": str(workspace), "channel_id": str(made.id)
        }
        owner.form("PUT", f"/workspaces/{workspace}", {"name": "새집"})
        assert device.first("workspace", lambda each: each["type"] == "edited")["name"] == "새집"
        third = join("native", nickname="셋")
        owner.post(f"/workspaces/{workspace}/members", {"email": third.email})
        entered = device.first("member", lambda each: each["type"] == "entered" and "room" not in each)
        assert (entered["user_id"], entered["nickname"], entered["workspace_id"]) == (third.id, "셋", str(workspace))
        third.history(channel)
        device.first("member", lambda each: each["type"] == "entered" and each.get("room") == f"channel-{channel.id}")
        third.call("GET", f"/workspaces/{workspace}/exit")
        device.first("member", lambda each: each["type"] == "gone" and each["user_id"] == third.id)


def test_a_socket_that_opens_right_after_its_user_was_let_in_has_the_rooms(product, join):
    owner = join("native")
    workspace = owner.make_workspace()
    for _ in range(4):
        friend = join("native")
        with Device(product, cookie=friend.cookie) as device:
            assert device.ready["rooms"] == []
        owner.post(f"/workspaces/{workspace}/members", {"email": friend.email})
        with Device(product, cookie=friend.cookie) as device:
            device.wait(lambda: device.ready["rooms"] or device.of("joined"))
        dm = owner.open_dm(workspace, friend)
        with Device(product, cookie=friend.cookie) as device:
            device.wait(lambda: f"dm-{dm}" in {each["room"] for each in device.ready["rooms"] + device.of("joined")})


def test_a_changed_profile_is_told_to_those_who_share_a_workspace(product, pair, join):
    owner, friend, workspace, channel = pair
    stranger = join("native")
    with Device(product, cookie=owner.cookie) as device, Device(product, cookie=stranger.cookie) as other:
        assert device.ready and other.ready
        friend.call("PUT", "/users/me", json={"nickname": "새친구"})
        profile = device.first("profile")
        assert (profile["type"], profile["user_id"], profile["nickname"]) == ("edited", friend.id, "새친구")
        # The stranger's own change comes after it, and alone.
        stranger.call("PUT", "/users/me", json={"nickname": "남"})
        other.first("profile")
        assert [each["user_id"] for each in other.of("profile")] == [stranger.id]


def test_one_who_is_put_out_of_a_workspace_hears_of_it_no_more(product, pair):
    owner, friend, workspace, channel = pair
    with Device(product, cookie=friend.cookie) as device:
        assert device.ready
        owner.call("DELETE", f"/workspaces/{workspace}/members/{friend.id}")
        device.first("workspace", lambda each: each["type"] == "gone")
        eventually(lambda: len(device.of("left")) == 2)
        owner.make_channel(workspace, "비밀")
        own = friend.make_workspace()
        device.first("joined", lambda each: each["room"] == f"channel-{friend.default_channel(own).id}")
        assert not [each for each in device.of("room") if each["workspace_id"] == str(workspace)]
