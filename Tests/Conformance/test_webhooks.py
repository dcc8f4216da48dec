"""Incoming webhooks: programs without an account write into channels, and every app shows it."""

import re

import contract
import pytest
import requests
from device import Device
from sockets import Sockets
from waiting import eventually, patiently

SHIPPED = [key for key in contract.KEYS if key != "native"]


@pytest.fixture
def home(join):
    """The owner of a workspace, a member, a channel with both, and a webhook of it."""
    owner, member = join("native"), join("native")
    workspace = owner.make_workspace(member)
    channel = owner.make_channel(workspace, None, member)
    return owner, member, channel, owner.post(f"{owner.path(channel)}/webhooks", {"name": "빌드"})


def post(product, url, body, **headers):
    return requests.post(f"{product.base}/v1{url}", json=body, headers=headers, timeout=patiently(30))


def test_what_a_program_sends_reaches_a_live_native_client_as_a_message_of_a_bot(product, home):
    _, member, channel, webhook = home
    with Device(product, cookie=member.cookie) as device:
        assert device.ready
        sent = post(product, webhook["url"], {"content": "끝"})
        assert sent.status_code == 201
        device.wait(lambda: device.of("message"))
        (message,) = device.messages(f"channel-{channel.id}")
    assert (message["content"], message["seq"]) == ("끝", sent.json()["seq"])
    assert (message["user"]["nickname"], message["user"]["bot"]) == ("빌드", True)
    assert message["user"]["user_id"] == webhook["user_id"]


@pytest.mark.parametrize("key", SHIPPED)
def test_a_shipped_app_shows_the_message_of_a_bot_like_any_other(product, home, join, key):
    owner, _, channel, webhook = home
    app = join(key)
    owner.post(f"/workspaces/{channel.workspace}/members", {"email": app.email})
    app.history(channel)
    with Sockets(product) as sockets:
        assert sockets.open(key, f"/ws-channel-{channel.id}", cookie=app.cookie)
        assert post(product, webhook["url"], {"content": "끝"}).status_code == 201
        eventually(lambda: app.history(channel))
    (message,) = app.history(channel)
    contract.hold(message, "Chat", app.generation)
    assert (message["content"], message["user"]["nickname"]) == ("끝", "빌드") and "bot" not in message["user"]


def test_a_repeated_key_is_one_message_and_refusals_are_problems(product, home):
    owner, _, channel, webhook = home
    key = {"Idempotency-Key": "build-7"}
    first, second = (post(product, webhook["url"], {"content": "끝"}, **key) for _ in range(2))
    assert (first.status_code, first.json()) == (201, second.json())
    for body, status, code in [({"content": "다른 말"}, 409, "E11"), ({}, 422, "E11")]:
        refused = post(product, webhook["url"], body, **key)
        assert (refused.status_code, refused.json()["errorCode"]) == (status, code)
        assert refused.headers["Content-Type"] == "application/problem+json"
    rotated = owner.post(f"{owner.path(channel)}/webhooks/{webhook['webhook_id']}/secret", None)
    assert post(product, webhook["url"], {"content": "늦음"}).status_code == 404
    assert post(product, rotated["url"], {"content": "새 주소"}).status_code == 201
    assert [each["content"] for each in owner.history(channel)] == ["끝", "새 주소"]


def test_who_does_not_manage_the_channel_makes_no_webhook(home):
    owner, member, channel, webhook = home
    path = f"{owner.path(channel)}/webhooks"
    member.refused("E14", "POST", path, json={"name": "a"})
    member.refused("E14", "GET", path)
    member.refused("E14", "DELETE", f"{path}/{webhook['webhook_id']}")
    assert "url" not in owner.get(path)["items"][0]
    owner.call("DELETE", f"{path}/{webhook['webhook_id']}")
    assert owner.get(path) == {"items": [], "next": None}
    audit = owner.get(f"/workspaces/{channel.workspace}/audit?action=webhook")["items"]
    assert [each["action"] for each in audit] == ["webhook.deleted", "webhook.created"]


def test_no_log_has_the_address_of_a_webhook(product, home):
    url = home[3]["url"]
    assert post(product, url, {"content": "끝"}).status_code == 201
    secret = url.rpartition("/")[2]
    assert re.fullmatch(r"[A-Za-z0-9_-]{43}", secret)

    def logs_with(text):
        # A line may be half written.
        logs = (path for path in product.data.glob("logs/**/*") if path.is_file())
        return [path for path in logs if text in path.read_text(errors="replace")]

    eventually(lambda: logs_with("/v1/webhooks/incoming/{secret}"))
    assert logs_with(secret) == []


# Outgoing webhooks


@pytest.fixture
def subscribe(product, home):
    """Subscribes a receiver of the stand-ins, and returns it and the subscription."""
    owner, _, channel, _ = home

    def subscribe(name, *events, **more):
        name = f"{name}-{channel.id}"
        body = {"url": f"{product.standins_base}/receivers/{name}", "events": events} | more
        made = owner.post(f"/workspaces/{channel.workspace}/webhooks", body)
        product.standins("PUT", f"/receivers/{name}", json={"secret": made["secret"]})
        return f"/receivers/{name}", made

    return subscribe


def calls(product, receiver, count):
    eventually(lambda: len(product.standins("GET", receiver).json()) >= count)
    return product.standins("GET", receiver).json()


def test_a_receiver_is_told_of_events_in_their_order_with_signatures(product, home, subscribe):
    owner, member, channel, webhook = home
    receiver, _ = subscribe("all", "message", "mention", "changed", "reaction", "member", "channel")
    owner.say(channel, "하나")
    assert post(product, webhook["url"], {"content": "둘"}).status_code == 201
    told = calls(product, receiver, 2)
    member.call("PUT", f"{owner.path(channel)}/chats/1/reactions/%F0%9F%91%8D")
    other = owner.make_channel(channel.workspace)
    told = calls(product, receiver, 6)
    owner.form("PUT", owner.path(other), {"name": f"{other.name} 2"})
    owner.call("DELETE", owner.path(other))
    told = calls(product, receiver, 8)
    assert {each["signatures"] for each in told} == {"1"} and len({each["id"] for each in told}) == len(told)
    messages = [each["body"]["data"]["message"] for each in told if each["body"]["type"] == "message"]
    assert [(each["seq"], each["content"]) for each in messages] == [(1, "하나"), (2, "둘")]
    assert [each["user"].get("bot") for each in messages] == [None, True]
    kinds = [each["body"]["type"] for each in told]
    assert kinds.index("changed") < kinds.index("reaction") and {"member", "channel"} <= set(kinds)
    channels = [each["body"]["data"] for each in told if each["body"]["type"] == "channel"]
    assert [(each["action"], each["name"]) for each in channels] == [
        ("created", other.name), ("changed", f"{other.name} 2"), ("deleted", f"{other.name} 2"),
    ]
    assert {each["channel_id"] for each in channels} == {str(other.id)}
    (reaction,) = (each["body"]["data"] for each in told if each["body"]["type"] == "reaction")
    assert reaction == {
        "room": f"channel-{channel.id}",
        "seq": 1,
        "emoji": "👍",
        "user_id": str(member.id),
        "action": "added",
    }


def test_an_event_that_was_not_taken_is_kept_and_sent_again_by_hand(product, home, subscribe):
    owner, member, channel, _ = home
    receiver, made = subscribe("hand", "message")
    path = f"/workspaces/{channel.workspace}/webhooks/{made['subscription_id']}"
    owner.say(channel, "하나")
    calls(product, receiver, 1)
    eventually(lambda: owner.get(f"{path}/deliveries?state=delivered")["items"])
    (delivery,) = owner.get(f"{path}/deliveries")["items"]
    again = owner.post(f"{path}/deliveries/{delivery['delivery_id']}/replay", None)
    assert (again["state"], again["name"]) == ("waiting", delivery["name"])
    told = calls(product, receiver, 2)
    assert told[0]["id"] == told[1]["id"] == delivery["name"]
    member.refused("E14", "GET", f"{path}/deliveries")
    member.refused("E14", "POST", f"/workspaces/{channel.workspace}/webhooks", json={"url": "https://a.example"})


def test_managers_list_change_and_rotate_webhooks(product, home, subscribe):
    owner, _, channel, webhook = home
    path = f"{owner.path(channel)}/webhooks"
    renamed = owner.call("PUT", f"{path}/{webhook['webhook_id']}", json={"name": "배포"})
    assert (renamed["name"], "url" in renamed) == ("배포", False)
    rotated = owner.post(f"{path}/{webhook['webhook_id']}/secret", None)
    assert rotated["url"] != webhook["url"]
    assert post(product, webhook["url"], {"content": "옛 주소"}).status_code == 404
    assert [each["name"] for each in owner.get(path)["items"]] == ["배포"]
    owner.call("DELETE", f"{path}/{webhook['webhook_id']}")
    assert owner.get(path)["items"] == []
    _, made = subscribe("managed", "message")
    path = f"/workspaces/{channel.workspace}/webhooks"
    one = f"{path}/{made['subscription_id']}"
    changed = owner.call("PUT", one, json={"events": ["message", "changed"], "on": False})
    assert (changed["events"], changed["on"]) == (["message", "changed"], False)
    assert owner.post(f"{one}/secret", None)["secret"] != made["secret"]
    assert [each["subscription_id"] for each in owner.get(path)["items"]] == [made["subscription_id"]]
    owner.call("DELETE", one)
    assert owner.get(path)["items"] == []


@pytest.mark.parametrize("host", ["10.0.0.1", "169.254.169.254", "[::1]", "[::ffff:127.0.0.1]", "192.168.0.1:8080"])
def test_an_address_of_the_operators_network_is_refused(home, host):
    owner, _, channel, _ = home
    body = {"url": f"http://{host}/", "events": ["message"]}
    owner.refused("E11", "POST", f"/workspaces/{channel.workspace}/webhooks", json=body)
