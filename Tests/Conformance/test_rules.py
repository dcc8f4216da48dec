"""The rules that must hold or a shipped client crashes."""

import time
from datetime import datetime, timedelta, timezone
from urllib.parse import quote

import contract
import pytest
import requests
from app import IMAGE, PICTURE, counter
from engine import Engine
from sockets import Sockets
from waiting import patiently

each_key = pytest.mark.parametrize("key", contract.KEYS)
LEGACY = [key for key in contract.KEYS if key != "native"]


def moment(text):
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)


def written(moment):
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03}Z"


# Rule 1


@pytest.mark.parametrize("key", LEGACY)
def test_rule_1_the_gateway_and_the_services_know_200_400_and_500_only(world, key):
    """Refusals of every layer. Files and sockets have their own tests."""
    app, base = world.owner, world.product.base
    large = [("image", ("a.png", PICTURE + bytes(80 << 20), "image/png"))]
    for how, code in {
        ("GET", "/v2/users/me", ""): "E97",
        ("PATCH", "/v1/workspaces", ""): "E97",
        ("TRACE", "/v1/workspaces", ""): "E97",
        ("GET", "/internal/keys", ""): "E97",
        ("GET", "/v1/workspaces/%00", ""): "E11",
        ("GET", "/v1/workspaces?" + "q" * 40_000, ""): "E11",
        ("GET", "/v1/workspaces", "x" * 70_000): "E11",
    }.items():
        method, path, header = how
        headers = {"SesacKey": key, "Authorization": app.token} | ({"X-Large": header} if header else {})
        reply = requests.request(method, base + path, headers=headers, timeout=patiently(20))
        assert (reply.status_code, reply.json()["errorCode"]) == (400, code), (how[:2], reply.text)
    reply = requests.post(f"{base}/v1/workspaces", files=large, headers={"SesacKey": key, "Authorization": app.token})
    assert (reply.status_code, reply.json()["errorCode"]) == (400, "E11")


# Rule 2


@each_key
def test_rule_2_times_have_three_fraction_digits_in_utc(world):
    """Every test checks this for its replies. This one checks the replies that a home screen reads."""
    app = world.owner
    sent = [app.say(world.channel, "시각")["createdAt"] for _ in range(5)]
    assert all(abs(moment(each) - datetime.now(timezone.utc)) < timedelta(minutes=1) for each in sent)
    found = [each["createdAt"] for each in app.history(world.channel)]
    for path in ("/workspaces", f"/workspaces/{world.workspace}", f"/workspaces/{world.workspace}/dms"):
        found += contract.dates(app.get(path))
    assert set(sent) < set(found) and all(contract.DATE.fullmatch(each) for each in found)


# Rule 3


@each_key
def test_rule_3_a_cursor_is_strictly_exclusive_at_the_millisecond(world):
    app = world.owner
    channel = app.make_channel(world.workspace)
    sent = [app.say(channel, f"{number}") for number in range(12)]
    moments = [moment(each["createdAt"]) for each in sent]
    for earlier, later in zip(moments, moments[1:]):
        assert later - earlier >= timedelta(milliseconds=2)
    for index, each in enumerate(sent):
        rest = [each["content"] for each in sent[index + 1 :]]
        assert [each["content"] for each in app.history(channel, each["createdAt"])] == rest
        # The same time with a zone.
        zoned = each["createdAt"].replace("Z", "+0000")
        assert [each["content"] for each in app.history(channel, zoned)] == rest
        # The cursor of one app is up to a millisecond early.
        early = written(moments[index] - timedelta(milliseconds=1))
        again = [] if world.key in ("collabee", "gen-2024-07") else [each["content"]]
        assert [each["content"] for each in app.history(channel, early)] == again + rest
    assert len(app.history(channel, "")) == 12


@pytest.mark.parametrize("key", contract.FIRST)
def test_rule_3_a_cursor_without_zone_is_utc_and_an_unread_date_without_zone_is_korean(world):
    app = world.owner
    channel = app.make_channel(world.workspace, None, world.member)
    world.member.say(channel, "하나")
    hour = timedelta(hours=1)
    now = datetime.now(timezone.utc)
    naive = "%Y-%m-%d %H:%M:%S"
    assert len(app.history(channel, (now - hour).strftime(naive))) == 1
    # A fresh install sends its Korean wall clock, which lies in the future: everything since the app joined.
    assert len(app.history(channel, (now + hour).strftime(naive))) == 1
    korean = now + timedelta(hours=9)
    # A date in the future means the read marker, which the history calls have moved.
    for when, count in ((korean - hour, 1), (korean + hour, 0), (now, 1)):
        after = quote(when.strftime(naive))
        assert app.get(f"{app.path(channel)}/unreads?after={after}", "ChannelUnreads")["count"] == count


@pytest.mark.parametrize("key", [key for key in contract.KEYS if key not in contract.FIRST])
def test_rule_3_other_apps_send_a_zone(world):
    app = world.owner
    app.refused("E11", "GET", f"{app.path(world.channel)}/chats?cursor_date=2024-01-01%2000:00:00")


@pytest.mark.parametrize("key", ["collabee", "gen-2024-07"])
def test_rule_3_an_unread_date_comes_as_early_as_a_cursor(world):
    member, channel = world.member, world.spare_channel()
    read = moment(world.owner.say(channel, "하나")["createdAt"])
    world.owner.say(channel, "둘")
    for early in (0, 1):
        after = written(read - timedelta(milliseconds=early))
        assert member.get(f"{member.path(channel)}/unreads?after={after}", "ChannelUnreads")["count"] == 1


# Rule 4


@each_key
def test_rule_4_an_own_message_comes_back_on_the_socket_unless_the_app_would_show_it_twice(product, world):
    app, other_device, member = world.owner, world.owner.another_device(), world.member
    channel = app.make_channel(world.workspace, None, member)
    namespace = f"/ws-channel-{channel.id}"
    with Sockets(product) as sockets:
        assert sockets.open("sender", namespace, cookie=app.cookie)
        assert sockets.open("its other device", namespace, cookie=other_device.cookie)
        other_device.history(channel)
        app.say(channel, "mine")
        member.say(channel, "theirs")
        sockets.await_contents("its other device", ["mine", "theirs"])
        expected = ["theirs"] if world.key == "collabee" else ["mine", "theirs"]
        sockets.await_contents("sender", expected)


# Rule 5


@each_key
def test_rule_5_a_message_has_five_files_at_most(world):
    app, room = world.owner, world.room
    text = [(f"{number}.txt", b"text") for number in range(6)]
    assert len(app.say(world.channel, "", text[:5])["files"]) == 5
    assert len(app.whisper(world.workspace, room, "", text[:5])["files"]) == 5
    for path in (app.path(world.channel), f"/workspaces/{world.workspace}/dms/{room}"):
        before = app.history(world.channel)
        app.refused("E11", "POST", f"{path}/chats", files=[("files", each) for each in text])
        assert app.history(world.channel) == before


# Rule 6


@each_key
def test_rule_6_required_members_are_never_null(world):
    app = world.owner
    silent = app.call("POST", f"{app.path(world.channel)}/chats", "Chat", files=[("files", ("a.txt", b"text"))])
    assert silent["content"] == ""
    image = "thumbnail" if app.is_first else "coverImage"
    bare = app.form("POST", "/workspaces", {"name": f"bare {next(counter)}"}, [IMAGE], "Workspace")
    assert bare["description"] == "" and bare[image].startswith("/static/workspaces/")
    channel = app.post(f"/workspaces/{world.workspace}/channels", {"name": f"bare {next(counter)}"}, "Channel")
    assert not app.is_first or channel["private"] in (0, 1)
    if world.key == "gathering":
        # This holds for workspaces that the system created, too.
        for each in app.get("/workspaces", "[Workspace]"):
            assert each["description"] is not None and each[image]
    phone = world.stranger.get("/users/my" if app.is_first else "/users/me", "Profile")["phone"]
    assert phone == (None if world.key in ("sooda", "gen-2024-01", "native") else "")


# Rule 7


def test_rule_7_an_engine_leaves_one_room_and_joins_the_next(worlds, product):
    world = worlds["collatalk"]
    app = world.owner
    first, second = (app.make_channel(world.workspace, None, world.member) for _ in range(2))
    engine = Engine(product, app.cookie)
    for channel in (first, second, first):
        app.history(channel)
        namespace = f"/ws-channel-{channel.id}"
        engine.join(namespace)
        said = world.member.say(channel, f"in {channel.id}")["content"]
        name, chat = engine.event(namespace)
        assert (name, chat["content"]) == ("channel", said)
        engine.leave(namespace)


# Rule 8


def test_rule_8_channel_and_dm_events_carry_only_chats(worlds, product):
    world = worlds["collabee"]
    owner, member = world.owner, world.member
    workspace = owner.make_workspace(member)
    channel = owner.make_channel(workspace, "방", member)
    room = owner.open_dm(workspace, member)
    with Sockets(product) as sockets:
        assert sockets.open("channel", f"/ws-channel-{channel.id}", cookie=member.cookie)
        assert sockets.open("dm", f"/ws-dm-{room}", cookie=member.cookie)
        member.history(channel)
        # Do everything that can happen in a room.
        owner.say(channel, "one")
        owner.call("PUT", owner.path(channel), "Channel", json={"name": "새 이름"})
        owner.call("PUT", owner.path(channel) + "/read", json={"seq": 1})
        owner.post(f"/workspaces/{workspace}/members", {"email": world.stranger.email}, "Member")
        world.stranger.history(channel)
        world.stranger.get(f"{world.stranger.path(channel)}/exit", "[Channel]")
        owner.call("PUT", f"{owner.path(channel)}/transfer/ownership", "Channel", json={"owner_id": member.id})
        owner.say(channel, "two", [("a.txt", b"text")])
        owner.whisper(workspace, room, "three")
        sockets.await_contents("channel", ["one", "two"])
        sockets.await_contents("dm", ["three"])
        for name, kind in {"channel": "Chat", "dm": "Dm"}.items():
            for event, arguments in sockets.heard(name):
                assert event == name and len(arguments) == 1
                contract.hold(arguments[0], kind, "2024-07")
        assert sockets.heard("channel")[-1][1][0]["channelName"] == "새 이름"


def test_rule_7_an_engine_without_a_room_stays_open(worlds, idle_engine):
    """The reference server closes it after 45 seconds. The other tests use up most of that time."""
    engine, opened = idle_engine
    time.sleep(max(0, opened + 46 - time.monotonic()))
    world = worlds["collatalk"]
    channel = world.owner.make_channel(world.workspace, None, world.owner)
    namespace = f"/ws-channel-{channel.id}"
    engine.join(namespace)
    world.owner.say(channel, "still here")
    assert engine.event(namespace)[1]["content"] == "still here"

