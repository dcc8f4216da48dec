"""Commands: members run them in rooms, and bots answer at once or later, to one or to all."""

import threading

import pytest
from app import App
from commander import Commander
from device import Device
from waiting import eventually


@pytest.fixture
def home(product, join):
    """An owner, a member, a channel with both, and a bot with commands."""
    owner, member = join("native"), join("native")
    workspace = owner.make_workspace(member)
    channel = owner.make_channel(workspace, None, member)
    with Commander(product, owner, workspace) as bot:
        yield owner, member, channel, bot


def run(app, channel, name, **more):
    return app.send("POST", f"{app.path(channel)}/commands", json={"name": name} | more)


def test_a_bot_registers_commands_that_members_list_and_the_bot_deletes(product, home, join):
    owner, member, channel, bot = home
    made = bot.register("배포-1", (200, {"text": "끝"}), hint="[가지]")
    assert made["secret"].startswith("whsec_") and made["url"] == bot.url
    [listed] = member.get(bot.path)["items"]
    assert (listed["name"], listed["hint"], listed["bot_id"]) == ("배포-1", "[가지]", bot.bot)
    assert "url" not in listed and "secret" not in listed
    good = {"name": "b", "description": "d", "url": bot.url}
    for wrong in (
        {"name": "Deploy"}, {"name": "a b"}, {"name": "-a"}, {"name": "a" * 33}, {"name": ""}, {"name": "ㄱ"},
        {"url": "ftp://a.example"}, {"url": "http://10.0.0.1/"}, {"description": ""}, {"description": "d" * 201},
        {"hint": "h" * 101},
    ):
        bot.app.refused("E11", "POST", bot.path, json=good | wrong)
    bot.app.refused("E12", "POST", bot.path, json=good | {"name": "배포-1"})
    owner.refused("E14", "POST", bot.path, json=good)
    member.refused("E14", "DELETE", f"{bot.path}/{made['command_id']}")
    stranger = join("native")
    stranger.refused("E13", "GET", bot.path)
    with Commander(product, owner, channel.workspace, ("read", "write", "react", "manage")) as other:
        other.app.refused("E14", "POST", bot.path, json=good)
        other.app.refused("E14", "GET", bot.path)
    with Commander(product, owner, channel.workspace) as other:
        other.app.refused("E13", "DELETE", f"{bot.path}/{made['command_id']}")
    bot.app.call("DELETE", f"{bot.path}/{made['command_id']}")
    assert member.get(bot.path)["items"] == [] and run(member, channel, "배포-1").json()["errorCode"] == "E13"
    again = bot.register("배포-1", (200, {"text": "끝"}))
    owner.call("DELETE", f"{bot.path}/{again['command_id']}")
    actions = [each["action"] for each in owner.get(f"/workspaces/{channel.workspace}/audit?action=command")["items"]]
    assert actions == ["command.deleted", "command.created"] * 2


def test_an_answer_for_one_is_seen_by_the_caller_alone_and_stored_nowhere(home):
    _, member, channel, bot = home
    bot.register("status", (200, {"text": "모두 정상", "visible": "me"}))
    reply = run(member, channel, "status", text="지금 어때").json()
    call = bot.called()
    assert call["isSigned"] and (call["command"], call["text"], call["user_id"]) == ("status", "지금 어때", member.id)
    assert call["room"] == f"channel-{channel.id}" and call["run_id"] == reply["run_id"]
    assert reply["state"] == "answered"
    assert (reply["answer"]["text"], reply["answer"]["user_id"]) == ("모두 정상", bot.bot)
    assert member.history(channel) == []
    # The address of an answered run is used up.
    assert bot.answer(call, "noch einmal").status_code == 404


def test_an_answer_for_all_is_a_message_of_the_bot(product, home):
    owner, member, channel, bot = home
    bot.register("build", (200, {"text": "빌드 7", "visible": "all"}))
    with Device(product, cookie=owner.cookie) as device:
        assert device.ready
        reply = run(member, channel, "build").json()
        message = device.first("message")["message"]
    assert reply["message"]["seq"] == message["seq"]
    assert (message["content"], message["user"]["user_id"], message["user"]["bot"]) == ("빌드 7", bot.bot, True)
    in_thread = run(member, channel, "build", thread=message["seq"]).json()["message"]
    assert in_thread["thread"] == {"root": message["seq"]}


def test_a_later_answer_reaches_the_caller_alone_once(product, home):
    owner, member, channel, bot = home
    bot.register("slow", (202, ""))
    with Device(product, cookie=member.cookie) as device, Device(product, cookie=owner.cookie) as other:
        assert device.ready and other.ready
        first = run(member, channel, "slow").json()
        call = bot.called()
        assert first["state"] == "waiting" and first["run_id"] == call["run_id"]
        assert bot.answer(call, "").status_code == 422 and bot.answer(call, "a", "some").status_code == 422
        assert bot.answer(call, "nur für dich").status_code == 200
        assert device.first("commandAnswer")["text"] == "nur für dich"
        for _ in range(2):
            assert bot.answer(call, "noch einmal").status_code == 404
        run(member, channel, "slow")
        assert bot.answer(bot.called(), "für alle", "all").status_code == 200
        # The message comes after the private answer on each socket.
        for each in (device, other):
            assert each.first("message")["message"]["content"] == "für alle"
        assert len(device.of("commandAnswer")) == 1 and other.of("commandAnswer") == []
    assert [each["content"] for each in member.history(channel)] == ["für alle"]


def test_answers_at_once_and_by_the_address_are_one(home):
    _, member, channel, bot = home
    statuses = []

    def both(call):
        statuses.extend(bot.answer(call, "먼저", "all").status_code for _ in range(2))
        return 200, {"text": "나중", "visible": "all"}

    bot.register("both", both)
    assert run(member, channel, "both").json()["state"] == "waiting"
    assert statuses == [200, 404] and [each["content"] for each in member.history(channel)] == ["먼저"]


def test_a_bot_that_fails_is_told_to_the_caller_and_has_no_second_chance(home):
    _, member, channel, bot = home
    over = threading.Event()
    answers = [
        (500, ""), (302, ""), (200, "nonsense"), (200, "[]"), (200, {"visible": "me"}), (200, {"text": "a", "visible": "x"}),
        (200, {"text": "a" * 10_001}), (200, "{" + " " * 300_000 + "}"),
        lambda _: (over.wait(60) and 200, {"text": "zu spät"}),
    ]
    bot.register("bad")
    for answer in answers:
        bot.answers["bad"] = answer
        assert run(member, channel, "bad").json()["errorCode"] == "E16"
        assert bot.answer(bot.called(), "zu spät").status_code == 404
    over.set()
    bot.register("deaf", url="http://127.0.0.1:1/")
    assert run(member, channel, "deaf").json()["errorCode"] == "E16"
    assert member.history(channel) == []


def test_a_command_needs_access_to_the_room_as_a_send_does(home, join):
    owner, member, channel, bot = home
    bot.register("x", (200, {"text": "a", "visible": "all"}))
    stranger, colleague = join("native"), join("native")
    owner.post(f"/workspaces/{channel.workspace}/members", {"email": colleague.email})
    for app in (stranger, colleague):
        assert run(app, channel, "x").json()["errorCode"] == app.send("POST", f"{app.path(channel)}/chats", json={"content": "a"}).json()["errorCode"] == "E13"
    assert run(member, channel, "y").json()["errorCode"] == "E13"
    assert run(member, channel, "x", text="a" * 10_001).json()["errorCode"] == "E11"
    assert run(bot.app, channel, "x").json()["errorCode"] == "E14"
    # The bot is in no DM of others.
    dm = member.post(f"/workspaces/{channel.workspace}/dms", {"opponent_id": owner.id})["room_id"]
    path = f"/workspaces/{channel.workspace}/dms/{dm}/commands"
    member.refused("E14", "POST", path, json={"name": "x"})
    bot.answers["x"] = (200, {"text": "a"})
    assert member.post(path, {"name": "x"})["answer"]["room"] == f"dm-{dm}"
    assert bot.calls.qsize() == 2
    # A suspended member runs nothing.
    owner.call("PUT", f"/workspaces/{channel.workspace}/standings/{member.id}", json={"suspended": True})
    says = lambda: member.send("POST", f"{member.path(channel)}/chats", json={"content": "a"})  # noqa: E731
    eventually(lambda: says().json().get("errorCode") == "E14")
    assert run(member, channel, "x").json()["errorCode"] == "E14"


def test_a_run_is_answered_to_nobody_who_has_lost_the_room(product, home):
    owner, member, channel, bot = home
    bot.register("later", (202, ""))
    run(member, channel, "later")
    owner.call("DELETE", f"/workspaces/{channel.workspace}/members/{member.id}")
    eventually(lambda: member.send("GET", f"{member.path(channel)}/chats").status_code == 404)
    assert bot.answer(bot.called(), "zu spät").status_code == 404


def test_the_commands_of_a_removed_bot_are_gone(home):
    owner, member, channel, bot = home
    bot.register("x", (202, ""))
    run(member, channel, "x")
    call = bot.called()
    owner.call("DELETE", f"/workspaces/{channel.workspace}/members/{bot.bot}")
    # chat-service hears of the removal a moment later.
    eventually(lambda: run(member, channel, "x").json().get("errorCode") == "E13", pause=0.5)
    eventually(lambda: member.get(bot.path)["items"] == [])
    assert bot.answer(call, "zu spät").status_code == 404


def test_a_user_who_runs_too_much_is_told_to_wait(home, product):
    _, member, channel, bot = home
    bot.register("x", (200, {"text": "a"}))
    replies = [run(member, channel, "x")]
    while replies[-1].status_code == 200 and len(replies) < 200:
        replies.append(run(member, channel, "x"))
    assert replies[-1].json()["errorCode"] == "E98" and int(replies[-1].headers["Retry-After"]) >= 1
