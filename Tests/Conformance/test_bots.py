"""Bots: programs that are members of a workspace, with tokens of limited scopes that end at once."""

import pytest
from app import App
from device import Device
from waiting import eventually

SCOPES = ["read", "write", "react", "manage", "commands"]


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
            "commands": ("GET", f"/workspaces/{channel.workspace}/commands", None),
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
        eventually(lambda: program.send("GET", "/workspaces").status_code == 401)
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
    eventually(lambda: program.send("GET", "/workspaces").status_code == 401)
    actions = [each["action"] for each in owner.get(f"/workspaces/{channel.workspace}/audit?action=bot")["items"]]
    assert actions == ["bot.deleted", "bot.token.created", "bot.created"]


def test_a_token_is_replaced_at_once_and_shown_once(product, home):
    owner, member, channel, bot, path = home
    made = owner.post(f"{path}/tokens", {"name": "deploy", "scopes": ["write", "read"]})
    program = signed_in(product, made["token"])
    # A read joins the channel, as for everybody.
    program.get(f"{owner.path(channel)}/chats")
    said = program.post(f"{owner.path(channel)}/chats", {"content": "0.1 runs"})
    assert said["user"]["user_id"] == bot["bot_id"] and said["user"]["bot"] is True
    fresh = owner.post(f"{path}/tokens/{made['token_id']}/secret", {})
    assert fresh["token"] != made["token"] and fresh["token_id"] == made["token_id"]
    eventually(lambda: program.send("GET", "/workspaces").status_code == 401)
    again = signed_in(product, fresh["token"])
    assert [each["workspace_id"] for each in again.get("/workspaces")] == [str(channel.workspace)]
    [shown] = owner.get(f"/workspaces/{channel.workspace}/bots")["items"]
    assert (shown["bot_id"], shown["name"], shown["createdBy"]) == (bot["bot_id"], "빌드", owner.id)
    [listed] = owner.get(f"{path}/tokens")["items"]
    assert listed["scopes"] == ["read", "write"] and "token" not in listed and made["token"].startswith("maru_bot_")
    assert fresh["token"].startswith(listed["prefix"]) and listed["usedAt"]


def test_bad_input_and_other_workspaces_are_refused(product, join, home):
    owner, member, channel, bot, path = home
    for body in ({"name": ""}, {"name": "n" * 31}, {}):
        owner.refused("E11", "POST", f"/workspaces/{channel.workspace}/bots", json=body)
    for body in ({"name": "n", "scopes": []}, {"name": "n", "scopes": ["everything"]}, {"name": "", "scopes": ["read"]}):
        owner.refused("E11", "POST", f"{path}/tokens", json=body)
    owner.refused("E13", "DELETE", f"{path}/tokens/999999999")
    owner.refused("E13", "DELETE", f"/workspaces/{channel.workspace}/bots/{member.id}")
    other = join("native")
    elsewhere = other.make_workspace()
    for method, where in (("GET", "/tokens"), ("POST", "/tokens"), ("DELETE", "")):
        body = {"name": "n", "scopes": ["read"]} if method == "POST" else None
        other.refused("E13", method, f"/workspaces/{elsewhere}/bots/{bot['bot_id']}{where}", json=body)
        other.refused("E13", method, path + where, json=body)
    made = owner.post(f"{path}/tokens", {"name": "all", "scopes": SCOPES})
    program = signed_in(product, made["token"])
    program.refused("E13", "GET", f"/workspaces/{elsewhere}")
    assert program.send("GET", f"/workspaces/{channel.workspace}", headers={"Authorization": made["token"][:-1] + "x"}).status_code == 401
    for _ in range(9):
        owner.post(f"{path}/tokens", {"name": "more", "scopes": ["read"]})
    owner.refused("E11", "POST", f"{path}/tokens", json={"name": "one too many", "scopes": ["read"]})


@pytest.mark.parametrize("end", ["removed", "banned"])
def test_the_tokens_of_a_bot_end_with_its_membership(product, home, end):
    owner, member, channel, bot, path = home
    made = [owner.post(f"{path}/tokens", {"name": scope, "scopes": ["read", scope]}) for scope in ("write", "react")]
    programs = [signed_in(product, each["token"]) for each in made]
    with Device(product, token=made[0]["token"]) as device:
        assert device.ready
        place = "members" if end == "removed" else "bans"
        owner.call("DELETE" if end == "removed" else "PUT", f"/workspaces/{channel.workspace}/{place}/{bot['bot_id']}")
        eventually(lambda: device.is_closed)
    for program in programs:
        eventually(lambda: program.send("GET", "/workspaces").status_code == 401)
    assert owner.get(f"{path}/tokens")["items"] == []
    owner.refused("E11", "POST", f"{path}/tokens", json={"name": "n", "scopes": ["read"]})
    # Nobody else's sessions are touched.
    member.get("/workspaces")
