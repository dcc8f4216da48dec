"""Requests of chat-service's and payment-service's routes, and of files."""

from app import PICTURE, counter
from cases import Request, effect, good, ids, texts, wrong

CHATS = "/workspaces/{workspace}/channels/{channel}/chats"
DMS = "/workspaces/{workspace}/dms"


@good(f"POST {CHATS}", f"POST {DMS}/{{room}}/chats")
def send(world):
    parts = [("files", ("chat", PICTURE, "image/jpeg")), ("files", ("메모.txt", "메모".encode(), "text/plain"))]
    return Request(form={"content": "안녕"}, files=parts)


@effect(f"POST {CHATS}", f"POST {DMS}/{{room}}/chats")
def sent(world, reply, body):
    assert body["content"] == "안녕" and body["user"]["user_id"] == world.owner.id
    assert [path.rsplit(".", 1)[1] for path in body["files"]] == ["png", "txt"]


@wrong(f"POST {CHATS}", f"POST {DMS}/{{room}}/chats")
def wrong_sends(world):
    request = Request(json={"content": "hi"})
    yield from (each for each in texts(request, "content", required=False, longest=10_000))
    yield "E11", "nothing", Request(json={})
    yield "E11", "nothing in parts", Request(form={"content": ""})
    text = ("files", ("a.txt", b"text", "text/plain"))
    yield "E11", "six files", Request(form={"content": "hi"}, files=[text] * 6)
    yield "E11", "a program", Request(files=[("files", ("a.png", b"MZ\x90\0\3", "image/png"))])
    yield "E11", "cut off", Request(
        data=b'--x\r\nContent-Disposition: form-data; name="content"\r\n\r\nhi',
        headers={"Content-Type": "multipart/form-data; boundary=x"},
    )


@wrong(f"POST {CHATS}", "GET /workspaces/{workspace}/channels/{channel}/unreads")
def outside(world):
    channel = world.owner.make_channel(world.workspace)
    yield "E13", "not in the channel", Request(
        by=world.member, json={"content": "hi"}, at={"channel": world.segment(channel)}
    )


@good(f"GET {CHATS}", f"GET {DMS}/{{opponent}}/chats", f"GET {DMS}/{{room}}/chats")
def history(world):
    if not getattr(world, "has_spoken", False):
        world.member.say(world.channel, "hello")
        world.member.whisper(world.workspace, world.room, "hello")
        world.has_spoken = True
    return Request(query="?cursor_date=")


@effect(f"GET {CHATS}", f"GET {DMS}/{{room}}/chats")
def ascending(world, reply, body):
    moments = [each["createdAt"] for each in body]
    assert moments and moments == sorted(set(moments))


@wrong(f"GET {CHATS}", f"GET {DMS}/{{opponent}}/chats", f"GET {DMS}/{{room}}/chats")
def wrong_cursors(world):
    for cursor in ("yesterday", "2024-13-01T00:00:00.000Z", "1700000000", "2024-01-01T00:00:00.000%2B99:99"):
        yield "E11", f"cursor {cursor}", Request(query=f"?cursor_date={cursor}")


@wrong(f"GET {DMS}/{{opponent}}/chats")
def wrong_opponents(world):
    yield "E11", "oneself", Request(at={"opponent": world.owner.id})
    yield "E13", "a stranger", Request(at={"opponent": world.stranger.id})


@good("GET /workspaces/{workspace}/channels/{channel}/unreads", f"GET {DMS}/{{room}}/unreads")
def unreads(world):
    history(world)
    return Request(query="?after=")


@wrong("GET /workspaces/{workspace}/channels/{channel}/unreads", f"GET {DMS}/{{room}}/unreads")
def wrong_unreads(world):
    yield "E11", "no date", Request(query="?after=yesterday")


@good(f"GET {DMS}")
def rooms(world):
    world.room
    return Request()


@effect(f"GET {DMS}")
def with_opponent(world, reply, body):
    assert [each["user"]["user_id"] for each in body] == [world.member.id]


@good(f"POST {DMS}")
def open_dm(world):
    return Request(json={"opponent_id": world.member.id})


@effect(f"POST {DMS}")
def same_room(world, reply, body):
    assert int(body["room_id"]) == world.room


@wrong(f"POST {DMS}")
def wrong_rooms(world):
    yield from ids(open_dm(world), "opponent_id")
    yield "E11", "oneself", Request(json={"opponent_id": world.owner.id})
    yield "E13", "a stranger", Request(json={"opponent_id": world.stranger.id})


@wrong(f"POST {DMS}/{{room}}/chats", f"GET {DMS}/{{room}}/chats", f"GET {DMS}/{{room}}/unreads")
def others_room(world):
    yield "E13", "the room of others", Request(by=world.stranger, json={"content": "hi"})


@good("GET /store/item/list")
def items(world):
    return Request()


@effect("GET /store/item/list")
def unique_items(world, reply, body):
    assert {"item": "10 Coin", "amount": "100"} in body
    assert len({each["item"] for each in body}) == len(body)


@good("POST /store/pay/validation")
def validate(world):
    return Request(json=world.owner.order())


@wrong("POST /store/pay/validation")
def wrong_payments(world):
    order = world.owner.order
    for name in ("imp_uid", "merchant_uid"):
        yield from texts(Request(json=order()), name, longest=200)
    yield "E81", "no such payment", Request(json=order() | {"imp_uid": "imp_nothing"})
    yield "E81", "cancelled", Request(json=order(status="cancelled", cancel_amount=100))
    for what, payment in {
        "another amount": {"price": 99},
        "more than the price": {"price": 101},
        "another currency": {"currency": "USD"},
        "nothing of ours": {"name": "11 Coin"},
        "not paid": {"status": "ready"},
        "failed": {"status": "failed"},
    }.items():
        yield "E82", what, Request(json=order(**payment))
    yield "E82", "another order", Request(json=order() | {"merchant_uid": order()["merchant_uid"]})
    # A valid payment, but ordered under another app's key.
    foreign = {"merchant_uid": f"ios_another_{next(counter)}"}
    yield "E82", "another app's order", Request(json=order(**foreign) | foreign)
    taken = order()
    assert world.owner.call("POST", "/store/pay/validation", json=taken)
    yield "E82", "someone else's", Request(by=world.member, json=taken)


for _folder in ("profiles", "workspaces", "channels", "channelChats", "dmChats"):

    @good(f"GET /static/{_folder}/{{file}}")
    def file(world, folder=_folder):
        return Request(at={"file": world.files[folder]})


@effect(*(f"GET /static/{folder}/{{file}}" for folder in ("profiles", "workspaces", "channels")))
def picture(world, reply, body):
    assert reply.content == PICTURE and reply.headers["Content-Type"] == "image/png"


for _folder in ("workspaces", "channels", "channelChats", "dmChats"):

    @wrong(f"GET /static/{_folder}/{{file}}")
    def wrong_readers(world, folder=_folder):
        yield "E13", "a stranger", Request(by=world.stranger, at={"file": world.files[folder]})
