"""Bots: programs that are members of a workspace, with tokens of limited scopes that end at once."""

import pytest
from app import App
from device import Device
from waiting import eventually

SCOPES = ["read", "write", "react", "manage"]


@pytest.fixture
def home(join):
    """An owner, a member, a channel with both, and a bot with the path of its tokens."""
    owner, member = join("native"), join("native")
    workspace = owner.make_workspace(member)
    channel = owner.make_channel(workspace, None, member)
    bot = owner.post(f"/workspaces/{workspace}/bots", {"name": "빌드"})
    return owner, member, channel, bot, f"/workspaces/{workspace}/bots/{bot['bot_id']}"


def signed_in(product, token):
    app = App(product, "native")
    app.token = f"Bearer {token}"
    # Bots are refused by scope on routes whose descriptions name no such error.
    app.key = "bot"
    return app


def test_a_token_opens_what_its_scopes_say_and_ends_at_once(product, home):
    owner, member, channel, bot, path = home
    for scope in SCOPES:
        made = owner.post(f"{path}/tokens", {"name": scope, "scopes": [scope]})
        program = signed_in(product, made["token"])
        calls = {
            "read": ("GET", f"/workspaces/{channel.workspace}/channels", None),
            "write": ("POST", f"{owner.path(channel)}/chats", {"content": "끝"}),
            "react": ("PUT", f"{owner.path(channel)}/chats/1/reactions/%F0%9F%91%8D", None),
            "manage": ("POST", f"/workspaces/{channel.workspace}/channels", {"name": f"{scope} {bot['bot_id']}"}),
        }
        for needed, (method, where, body) in calls.items():
            reply = program.send(method, where, json=body)
            if needed == scope:
                assert reply.status_code < 500 and '"E14"' not in reply.text, reply.text
            else:
                assert reply.json()["errorCode"] == "E14" and needed in reply.json()["detail"], reply.text
        for where in ("/users/me", "/store/item/list", "/users/me/sessions", path + "/tokens"):
            program.refused("E14", "GET", where)
        owner.call("DELETE", f"{path}/tokens/{made['token_id']}")
        eventually(lambda: program.send("GET", "/workspaces").json()["errorCode"] == "E02")
    member.refused("E14", "GET", f"/workspaces/{channel.workspace}/bots")
    assert owner.get(f"{path}/tokens")["items"] == []


def test_the_socket_of_a_bot_ends_with_its_bot(product, home):
    owner, member, channel, bot, path = home
    made = owner.post(f"{path}/tokens", {"name": "live", "scopes": ["read"]})
    program = signed_in(product, made["token"])
    with Device(product, token=made["token"]) as device:
        assert device.ready
        owner.call("DELETE", path)
        eventually(lambda: device.is_closed)
    eventually(lambda: program.send("GET", "/workspaces").json()["errorCode"] == "E02")
    actions = [each["action"] for each in owner.get(f"/workspaces/{channel.workspace}/audit?action=bot")["items"]]
    assert actions == ["bot.deleted", "bot.token.created", "bot.created"]
