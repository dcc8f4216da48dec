"""Requests of workspace-service's routes."""

from app import IMAGE, App, counter
from cases import Request, effect, good, ids, texts, wrong


def fields(**more):
    return {"name": f"이름 {next(counter)}", "description": "설명"} | more


@good("POST /workspaces")
def create(world):
    return Request(form=fields(), files=[IMAGE])


@wrong("POST /workspaces")
def wrong_creations(world):
    request = create(world)
    yield from texts(request, "name", longest=30)
    yield "E11", "description is too long", request.with_field("description", "가" * 1001)
    yield "E11", "image is missing", request.changed(files=[])
    yield "E11", "image is empty", request.changed(files=[("image", ("chat", b"", "image/jpeg"))])
    yield "E11", "image is no picture", request.changed(files=[("image", ("chat.png", b"text", "image/png"))])
    yield "E11", "image is a text", request.changed(form=fields(image="chat"), files=[])
    name = world.owner.get(f"/workspaces/{world.workspace}")["name"]
    yield "E12", "name is taken", request.with_field("name", name.upper())
    if coins := world.member.coins:
        world.product.spend(world.member.id, coins)
    yield "E21", "no coins", create(world).changed(by=world.member)


@good("GET /workspaces", "GET /workspaces/{workspace}", "GET /workspaces/{workspace}/members")
@good("GET /workspaces/{workspace}/channels", "GET /workspaces/{workspace}/channels/my")
@good("GET /workspaces/{workspace}/my-channels", "GET /workspaces/{workspace}/channels/{channel}")
@good("GET /workspaces/{workspace}/channels/{channel}/members", "GET /workspaces/{workspace}/members/{user}")
def look(world):
    world.channel
    return Request()


@effect("GET /workspaces/{workspace}")
def whole(world, reply, body):
    assert {int(each["user_id"]) for each in body["workspaceMembers"]} >= {int(world.owner.id), int(world.member.id)}
    assert body["channels"][0]["name"] == "일반"


@effect("GET /workspaces/{workspace}/channels/{channel}")
def with_members(world, reply, body):
    assert len(body["channelMembers"]) == 2


@wrong("GET /workspaces/{workspace}/members/{user}")
def wrong_members(world):
    yield "E13", "no member", Request(at={"user": world.stranger.id})


@good("PUT /workspaces/{workspace}")
def edit(world):
    return Request(form=fields(), files=[IMAGE], at={"workspace": world.spare_workspace()})


@wrong("PUT /workspaces/{workspace}")
def wrong_edits(world):
    request = edit(world).changed(at={})
    yield from texts(request, "name", longest=30, required=False)
    yield "E11", "image is no picture", request.changed(files=[("image", ("chat.png", b"text", "image/png"))])
    other = world.owner.get(f"/workspaces/{world.spare_workspace()}")["name"]
    yield "E12", "name is taken", request.with_field("name", other)
    yield "E14", "no owner", request.changed(by=world.member)


@good("DELETE /workspaces/{workspace}")
def delete(world):
    return Request(at={"workspace": world.spare_workspace()})


@wrong("DELETE /workspaces/{workspace}")
def wrong_deletions(world):
    yield "E14", "no owner", Request(by=world.member)


@good("POST /workspaces/{workspace}/members")
def invite(world):
    return Request(json={"email": App.joined(world.product, world.key).email})


@wrong("POST /workspaces/{workspace}/members")
def wrong_invitations(world):
    request = Request(json={"email": world.stranger.email})
    yield from (each for each in texts(request, "email") if "is empty" not in each[1])
    yield "E03", "nobody", Request(json={"email": "nobody@example.com"})
    yield "E12", "a member", Request(json={"email": world.member.email})
    yield "E12", "oneself", Request(json={"email": world.owner.email})
    yield "E14", "no owner", request.changed(by=world.member)


@good("GET /workspaces/{workspace}/search")
def search(world):
    world.channel
    return Request(query="?keyword=%EC%9E%A1%EB%8B%B4")


@effect("GET /workspaces/{workspace}/search")
def found(world, reply, body):
    assert [each["name"] for each in body["channels"]] == ["잡담 방"] and body["workspaceMembers"] == []


@wrong("GET /workspaces/{workspace}/search")
def wrong_searches(world):
    yield "E11", "keyword is too long", Request(query="?keyword=" + "k" * 1025)


LEAVE = [
    "GET /workspaces/{workspace}/leave",
    "GET /workspaces/{workspace}/exit",
    "DELETE /workspaces/{workspace}/exit",
]


@good(*LEAVE)
def leave(world):
    return Request(by=world.member, at={"workspace": world.spare_workspace()})


@wrong(*LEAVE)
def wrong_leaves(world):
    yield "E15", "the owner", Request()
    workspace = world.spare_workspace()
    world.member.make_channel(workspace)
    yield "E15", "a channel's owner", Request(by=world.member, at={"workspace": workspace})


HAND_OVER = ["PUT /workspaces/{workspace}/change/admin/{user}", "PUT /workspaces/{workspace}/transfer/ownership"]
HAND_CHANNEL_OVER = [
    "PUT /workspaces/{workspace}/channels/{channel}/change/admin/{user}",
    "PUT /workspaces/{workspace}/channels/{channel}/transfer/ownership",
]


def to(world, heir, **more):
    """Returns a request that names the new owner in the path or the body, as its generation does."""
    if world.is_first:
        return Request(json={}, at={"user": heir.id} | more)
    return Request(json={"owner_id": heir.id}, at=more)


@good(*HAND_OVER)
def hand_over(world):
    return to(world, world.member, workspace=world.spare_workspace())


@effect(*HAND_OVER, *HAND_CHANNEL_OVER)
def handed_over(world, reply, body):
    assert body["owner_id"] == world.member.id


@good(*HAND_CHANNEL_OVER)
def hand_channel_over(world):
    return to(world, world.member, channel=world.segment(world.spare_channel()))


@wrong(*HAND_OVER, *HAND_CHANNEL_OVER)
def wrong_heirs(world):
    world.channel
    yield "E11", "oneself", to(world, world.owner)
    yield "E13", "no member", to(world, world.stranger)
    heir = to(world, world.member)
    yield "E14", "no owner", heir.changed(by=world.member)
    if not world.is_first:
        yield from ids(heir, "owner_id")


@good("POST /workspaces/{workspace}/channels")
def create_channel(world):
    return Request(json=fields())


@wrong("POST /workspaces/{workspace}/channels")
def wrong_channels(world):
    request = create_channel(world)
    yield from texts(request, "name", longest=30)
    for name in ("my", "My", ".", "..", "a/b", " "):
        yield "E11", f"name {name}", request.with_field("name", name)
    world.channel
    for name in ("잡담 방", "잡담 방"):
        yield "E12", "name is taken", request.with_field("name", name)


@good("PUT /workspaces/{workspace}/channels/{channel}")
def edit_channel(world):
    return Request(json=fields(), at={"channel": world.segment(world.spare_channel())})


@wrong("PUT /workspaces/{workspace}/channels/{channel}")
def wrong_channel_edits(world):
    request = Request(json=fields())
    yield from texts(request, "name", longest=30, required=False)
    yield "E11", "a reserved name", request.with_field("name", "my")
    yield "E12", "name is taken", request.with_field("name", world.spare_channel().name)
    yield "E14", "no owner", request.changed(by=world.member)


@good("DELETE /workspaces/{workspace}/channels/{channel}")
def delete_channel(world):
    return Request(at={"channel": world.segment(world.spare_channel())})


@wrong("DELETE /workspaces/{workspace}/channels/{channel}")
def wrong_channel_deletions(world):
    yield "E11", "the default channel", Request(at={"channel": world.segment(world.default_channel)})
    yield "E14", "no owner", Request(by=world.member)


LEAVE_CHANNEL = [
    "GET /workspaces/{workspace}/channels/{channel}/leave",
    "GET /workspaces/{workspace}/channels/{channel}/exit",
    "DELETE /workspaces/{workspace}/channels/{channel}/exit",
]


@good(*LEAVE_CHANNEL)
def leave_channel(world):
    return Request(by=world.member, at={"channel": world.segment(world.spare_channel())})


@wrong(*LEAVE_CHANNEL)
def wrong_channel_leaves(world):
    yield "E11", "the default channel", Request(at={"channel": world.segment(world.default_channel)})
    yield "E15", "the owner", Request()
    not_in = world.owner.make_channel(world.workspace)
    yield "E13", "not in it", Request(by=world.member, at={"channel": world.segment(not_in)})

