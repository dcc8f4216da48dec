"""The own state of users of the native API: settings, levels of rooms, drafts, receipts and scheduled sends."""

from datetime import datetime, timedelta, timezone

import contract
import pytest
from app import counter
from device import Device
from waiting import eventually, patiently

each_shipped_key = pytest.mark.parametrize("key", [key for key in contract.KEYS if key != "native"])


def moment(**ahead):
    return (datetime.now(timezone.utc) + timedelta(**ahead)).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def home(app, workspace, channel):
    rooms = app.get(f"/workspaces/{workspace}/rooms")
    return next(each for each in rooms if str(each.get("channel_id")) == str(channel.id))


def bodies(world, device):
    return [each["notification"]["body"] for each in world.product.pushes(device)]


@pytest.fixture
def native(worlds):
    return worlds["native"]


def test_settings_are_kept(native):
    app = native.stranger
    wanted = {
        "readReceipts": True,
        "presence": False,
        "typing": True,
        "doNotDisturb": {"from": "23:00", "to": "07:00", "zone": "Asia/Seoul"},
        "keywords": ["배포"],
    }
    assert app.call("PUT", "/users/me/settings", json=wanted) == wanted
    assert app.another_device().get("/users/me/settings") == wanted
    wrong_hours = {"from": "23:00", "to": "7", "zone": "UTC"}
    for wrong in ({}, wanted | {"keywords": ["a"] * 21}, wanted | {"doNotDisturb": wrong_hours}):
        app.refused("E11", "PUT", "/users/me/settings", json=wrong)
    del wanted["doNotDisturb"]
    app.call("PUT", "/users/me/settings", json=wanted)
    assert app.get("/users/me/settings") == wanted


@each_shipped_key
def test_shipped_apps_have_no_routes_of_the_native_api(world):
    dm = f"/workspaces/{world.workspace}/dms/{world.room}"
    for path in ("/users/me/settings", "/users/me/scheduled", f"{dm}/readers"):
        world.owner.refused("E97", "GET", path)
    assert all("notify" not in room for room in world.owner.get(f"/workspaces/{world.workspace}/rooms"))


def test_a_level_decides_what_is_pushed_and_a_mention_passes_mentions(native):
    owner, member, channel = native.owner, native.member, native.spare_channel()
    path = f"{member.path(channel)}/notify"
    assert member.call("PUT", path, json={"level": "mentions"}) == {"level": "mentions"}
    assert home(member, native.workspace, channel)["notify"] == "mentions"
    plain, mention, last = (f"{kind} {next(counter)}" for kind in ("조용히", "@손님아", "끝"))
    owner.say(channel, plain)
    owner.say(channel, mention)
    eventually(lambda: mention in bodies(native, member.device))
    push = next(each for each in native.product.pushes(member.device) if each["notification"]["body"] == mention)
    assert push["data"]["room"] == f"channel-{channel.id}" and push["data"]["seq"] == "2"
    assert int(push["data"]["badge"]) == push["apns"]["payload"]["aps"]["badge"] >= 2
    member.call("PUT", path, json={"level": "none"})
    owner.say(channel, f"{mention} 다시")
    # The level counts at the moment of the decision.
    eventually(lambda: native.product.push_decisions(f"channel-{channel.id}", 3))
    member.call("PUT", path, json={"level": "all"})
    owner.say(channel, last)
    eventually(lambda: last in bodies(native, member.device))
    assert not any(text in bodies(native, member.device) for text in (plain, f"{mention} 다시"))
    assert home(member, native.workspace, channel)["unreadCount"] == 4
    member.refused("E11", "PUT", path, json={"level": "all", "mutedUntil": moment(hours=-1)})
    native.stranger.refused("E13", "PUT", path, json={"level": "all"})


def unanswered_lookups(product):
    """The number of lookups of present members without an answer in time. Such a message mentions all members."""
    lines = [each for each in product.metrics(2).splitlines() if each.startswith('maru_here_lookups_total{outcome="unanswered"}')]
    return sum(float(each.split()[-1]) for each in lines)


def test_here_mentions_the_members_that_are_present_at_the_send(product, join):
    for _ in range(5):
        before = unanswered_lookups(product)
        try:
            return send_here(product, join)
        except AssertionError:
            # The machine may have stood still for longer than here_timeout.
            if unanswered_lookups(product) == before:
                raise
    raise AssertionError("no lookup of present members was answered in time")


def send_here(product, join):
    owner, present, absent = join("native"), join("native"), join("native")
    workspace = owner.make_workspace(present, absent)
    channel = owner.make_channel(workspace, None, present, absent)
    for member in (present, absent):
        member.call("PUT", f"{member.path(channel)}/notify", json={"level": "mentions"})
    with Device(product, cookie=owner.cookie) as watcher, Device(product, cookie=present.cookie) as device:
        assert watcher.ready and device.ready
        watcher.ask("presence", {"users": [present.id, absent.id]})

        def until(state):
            told = lambda: [each["users"][present.id] for each in watcher.of("presence") if present.id in each["users"]]
            watcher.wait(lambda: told()[-1:] == [state])

        until("online")
        owner.say(channel, "@here")
        # Away at all devices is not present.
        device.ask("presence", {"state": "away"})
        until("away")
        owner.say(channel, "@here 다시")
    eventually(lambda: all(product.push_decisions(f"channel-{channel.id}", seq) for seq in (1, 2)))
    reasons = [
        {each["user_id"]: each["reason"] for each in product.push_decisions(f"channel-{channel.id}", seq)["users"]}
        for seq in (1, 2)
    ]
    assert [each[present.id] for each in reasons] == ["mention", "not_here"]
    assert [each[absent.id] for each in reasons] == ["not_here", "not_here"]
    assert [home(each, workspace, channel)["mentionCount"] for each in (present, absent)] == [1, 0]
    inbox = present.get(f"/workspaces/{workspace}/mentions")["items"]
    assert [each["message"]["seq"] for each in inbox] == [1]
    assert absent.get(f"/workspaces/{workspace}/mentions")["items"] == []


def test_a_draft_follows_to_other_devices(native):
    member, channel = native.member, native.spare_channel()
    path = f"{member.path(channel)}/draft"
    member.call("PUT", path, json={"content": "쓰다 만 글"})
    assert home(member.another_device(), native.workspace, channel)["draft"]["content"] == "쓰다 만 글"
    assert "draft" not in home(native.owner, native.workspace, channel)
    member.call("PUT", path, json={"content": ""})
    assert "draft" not in home(member, native.workspace, channel)
    member.refused("E13", "PUT", path, json={"content": "x", "thread": 99})


def test_members_see_how_far_others_have_read(native):
    owner, member, channel = native.owner, native.member, native.spare_channel()
    for text in ("하나", "둘"):
        owner.say(channel, text)
    member.call("PUT", f"{member.path(channel)}/read", json={"seq": 1})
    readers = {each["user_id"]: each["seq"] for each in owner.get(f"{owner.path(channel)}/readers")}
    assert readers[owner.id] == 2 and readers[member.id] == 1


def test_a_scheduled_message_is_sent_at_its_time(native):
    owner, channel, text = native.owner, native.spare_channel(), f"나중에 {next(counter)}"
    path = f"{owner.path(channel)}/scheduled"
    replies = []

    def is_taken():
        # The moment is over where the machine stood still meanwhile.
        replies.append(owner.send("POST", path, json={"content": text, "at": moment(seconds=patiently(2))}))
        return replies[-1].ok

    eventually(is_taken)
    sent = replies[-1].json()
    assert sent["state"] == "waiting" and sent["room"] == f"channel-{channel.id}"
    later = owner.call("POST", path, json={"content": "취소", "at": moment(hours=1)})
    owner.call("DELETE", f"/users/me/scheduled/{later['id']}")
    eventually(lambda: [each["content"] for each in owner.history(channel)] == [text])
    # The message is committed before its schedule ends.
    eventually(lambda: owner.get("/users/me/scheduled") == {"items": [], "next": None})
    for at in (moment(seconds=-5), moment(days=121), "soon", None):
        owner.refused("E11", "POST", path, json={"content": "x", "at": at})
    native.stranger.refused("E13", "POST", path, json={"content": "x", "at": moment(hours=1)})
