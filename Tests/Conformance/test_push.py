"""Pushes that arrive at the stand-in of FCM: their recipients and their content."""

import contract
import pytest
from app import counter
from sockets import Sockets
from waiting import eventually

each_key = pytest.mark.parametrize("key", contract.KEYS)


def bodies(world, device):
    return [each["notification"]["body"] for each in world.product.pushes(device)]


def await_push(world, device, text):
    eventually(lambda: text in bodies(world, device))
    return next(each for each in world.product.pushes(device) if each["notification"]["body"] == text)


def told(world, push, room, seq, **data):
    """The data of a push: apps of the native API are also told the room, the message and their badge."""
    if world.key == "native":
        data |= {"room": room, "seq": str(seq), "badge": str(push["apns"]["payload"]["aps"]["badge"])}
    return data


@each_key
def test_a_message_of_a_channel_is_pushed_to_its_other_members(world):
    channel, text = world.spare_channel(), f"소식 {next(counter)}"
    world.owner.say(channel, text)
    push = await_push(world, world.member.device, text)
    assert push["notification"] == {"title": "주인", "body": text}
    place = {"workspace_id": str(world.workspace), "channel_id": str(channel.id)}
    assert push["data"] == told(world, push, f"channel-{channel.id}", 1, type="channel", **place)
    # The author gets none on any device.
    assert text not in bodies(world, world.owner.device)


@each_key
def test_a_direct_message_is_pushed_to_the_opponent(world):
    text = f"쉿 {next(counter)}"
    sent = world.owner.whisper(world.workspace, world.room, text)
    push = await_push(world, world.member.device, text)
    assert push["notification"] == {"title": "주인", "body": text}
    place = {"workspace_id": str(world.workspace), "opponent_id": str(world.owner.id)}
    assert push["data"] == told(world, push, f"dm-{world.room}", sent["seq"], type="dm", **place)
    texts = ("type", "room")
    assert all(isinstance(value, str) and (name in texts or value.isdecimal()) for name, value in push["data"].items())


def test_only_members_get_pushes_on_all_devices_that_still_have_a_token(worlds):
    world = worlds["sooda"]
    owner, member = world.owner, world.member
    second = member.another_device(f"second-{next(counter)}")
    token = f"second-{next(counter)}"
    second.post("/users/deviceToken", {"deviceToken": token})
    not_in, everybody = owner.make_channel(world.workspace), world.spare_channel()
    hidden, shown, last = (f"{kind} {next(counter)}" for kind in ("hidden", "shown", "last"))
    owner.say(not_in, hidden)
    owner.say(everybody, shown)
    for device in (member.device, token):
        await_push(world, device, shown)
    # An empty token clears the device.
    second.post("/users/deviceToken", {"deviceToken": ""})
    owner.say(everybody, last)
    await_push(world, member.device, last)
    assert last not in bodies(world, token)
    assert not any(hidden in bodies(world, device) for device in (member.device, token))


def test_a_member_with_a_socket_in_the_room_gets_no_push(worlds):
    world = worlds["collatalk"]
    channel = world.spare_channel()
    here, away = (f"{kind} {next(counter)}" for kind in ("here", "away"))
    with Sockets(world.product) as sockets:
        assert sockets.open("member", f"/ws-channel-{channel.id}", cookie=world.member.cookie)
        world.owner.say(channel, here)
        sockets.await_contents("member", [here])
        # Presence counts at the moment of the decision.
        eventually(lambda: world.product.push_decisions(f"channel-{channel.id}", 1))
    # After the socket closed, the next message is pushed.
    eventually(lambda: world.owner.say(channel, away) and away in bodies(world, world.member.device), pause=0.3)
    assert here not in bodies(world, world.member.device)


def test_logging_out_ends_the_pushes_of_a_device(worlds):
    world = worlds["gen-2024-07"]
    token = f"leaves-{next(counter)}"
    device, text, last = world.member.another_device(token), f"one {next(counter)}", f"two {next(counter)}"
    world.owner.whisper(world.workspace, world.room, text)
    await_push(world, token, text)
    device.get("/users/logout")
    world.owner.whisper(world.workspace, world.room, last)
    await_push(world, world.member.device, last)
    assert last not in bodies(world, token)


def test_a_push_describes_files_and_shortens_long_messages(worlds):
    world = worlds["native"]
    before = len(bodies(world, world.member.device))
    world.owner.whisper(world.workspace, world.room, "", [("a.txt", b"text")])
    world.owner.whisper(world.workspace, world.room, "긴 " * 4000)
    # Pushes of other messages may still be on their way.
    eventually(lambda: len(found := bodies(world, world.member.device)[before:]) >= 2 and any(each.endswith("…") for each in found))
    file, long = sorted(bodies(world, world.member.device)[before:], key=len)[-2:]
    assert file and long.endswith("…") and len(long.encode()) <= 1500
