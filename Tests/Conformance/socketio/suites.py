"""Holds `socketio-conformance` against the public protocol suites' cases: python suites.py PORT [NAME]

The cases are those of the suites for Engine.IO 4, Engine.IO 3 and Socket.IO 5, told again for aiohttp and websockets,
and some that the protocol documents ask for beyond them. Needs the packages of requirements.txt. Ends with 0 when all pass.
"""

import asyncio
import json
import sys
import traceback

import aiohttp
import websockets

PORT = int(sys.argv[1])
ONLY = sys.argv[2] if len(sys.argv) > 2 else ""
PING_INTERVAL = 0.3
PING_TIMEOUT = 0.2
CASES = []


def case(function):
    CASES.append(function)
    return function


class Engine:
    """One of the mounted servers, spoken to in one version."""

    def __init__(self, session, path, version):
        self.session = session
        self.version = version
        self.query = f"/{path}/?EIO={version}"

    async def get(self, query="", **options):
        return await self.request("GET", query, **options)

    async def post(self, query, body, **options):
        return await self.request("POST", query, data=body, **options)

    async def request(self, method, query, **options):
        url = f"http://127.0.0.1:{PORT}{query or self.query + '&transport=polling'}"
        async with self.session.request(method, url, **options) as reply:
            return reply.status, await reply.read(), reply.headers

    async def polling(self, more=""):
        status, body, _ = await self.get(f"{self.query}&transport=polling{more}")
        assert status == 200, (status, body)
        return f"{self.query}&transport=polling&sid={self.opened(body.decode())['sid']}"

    def opened(self, payload):
        packet = self.unpack(payload)[0]
        assert packet[0] == "0", packet
        return json.loads(packet[1:])

    def unpack(self, payload):
        if self.version == 4:
            return payload.split("\x1e")
        packets = []
        while payload:
            length, _, payload = payload.partition(":")
            packets.append(payload[: int(length)])
            payload = payload[int(length):]
        return packets

    def pack(self, *packets):
        if self.version == 4:
            return "\x1e".join(packets)
        return "".join(f"{len(packet)}:{packet}" for packet in packets)

    def websocket(self, query=None):
        query = query.replace("polling", "websocket") if query else f"{self.query}&transport=websocket"
        return websockets.connect(f"ws://127.0.0.1:{PORT}{query}", compression=None, open_timeout=5)


async def expect_close(socket, within=2):
    async def drain():
        try:
            async for _ in socket:
                pass
        except websockets.ConnectionClosed:
            pass

    await asyncio.wait_for(drain(), within)


async def expect_refused(engine, query):
    try:
        async with engine.websocket(query):
            assert False, f"{query} was accepted"
    except websockets.InvalidStatus as refused:
        assert refused.response.status_code == 400, refused


def check_opened(value, upgrades):
    assert set(value) == {"sid", "upgrades", "pingInterval", "pingTimeout", "maxPayload"}, value
    assert isinstance(value["sid"], str) and value["upgrades"] == upgrades
    assert (value["pingInterval"], value["pingTimeout"], value["maxPayload"]) == (300, 200, 1000000)


# Engine.IO, both versions


@case
async def opens_polling(engine):
    status, body, headers = await engine.get()
    assert status == 200 and headers["Content-Type"] == "text/plain; charset=UTF-8", headers
    assert headers["Access-Control-Allow-Origin"] == "*"
    check_opened(engine.opened(body.decode()), ["websocket"])


@case
async def refuses_bad_handshakes(engine):
    path = engine.query.split("?")[0]
    for query, code in [
        ("?transport=polling", 5),
        ("?EIO=abc&transport=polling", 5),
        (f"?EIO={engine.version}", 0),
        (f"?EIO={engine.version}&transport=abc", 0),
        (f"?EIO={engine.version}&transport=websocket", 3),
        (f"?EIO={engine.version}&transport=polling&sid=abc", 1),
        (f"?EIO={engine.version}&transport=polling&sid=0.0.abcdefghijklmnopqrst", 1),
    ]:
        status, body, headers = await engine.get(path + query)
        assert status == 400 and json.loads(body)["code"] == code, (query, status, body)
        assert headers["Content-Type"] == "application/json"
    assert json.loads(body) == {"code": 1, "message": "Session ID unknown"}
    for method in ("POST", "PUT"):
        status, body, _ = await engine.request(method, "")
        assert status == 400 and json.loads(body) == {"code": 2, "message": "Bad handshake method"}


@case
async def answers_preflight(engine):
    headers = {"Origin": "http://other", "Access-Control-Request-Headers": "x-a"}
    status, _, headers = await engine.request("OPTIONS", "", headers=headers)
    assert status == 204 and headers["Access-Control-Allow-Origin"] == "*"
    assert headers["Access-Control-Allow-Headers"] == "x-a"


@case
async def opens_websocket(engine):
    async with engine.websocket() as socket:
        first = await socket.recv()
        assert first[0] == "0"
        check_opened(json.loads(first[1:]), [])


@case
async def refuses_bad_websockets(engine):
    path = engine.query.split("?")[0]
    for query in (
        "?transport=websocket",
        "?EIO=abc&transport=websocket",
        f"?EIO={engine.version}",
        f"?EIO={engine.version}&transport=abc",
        f"?EIO={engine.version}&transport=websocket&sid=unknown",
    ):
        await expect_refused(engine, path + query)


@case
async def closes_on_cancelled_poll(engine):
    query = await engine.polling()
    poll = asyncio.create_task(engine.get(query))
    await asyncio.sleep(0.02)
    poll.cancel()
    await asyncio.sleep(0.05)
    status, _, _ = await engine.get(query)
    assert status == 400, status


@case
async def closes_on_second_poll(engine):
    query = await engine.polling()
    first = asyncio.create_task(engine.get(query))
    await asyncio.sleep(0.02)
    status, _, _ = await engine.get(query + "&t=burst")
    assert status == 400, status
    status, body, _ = await first
    assert status == 200 and body.decode() == engine.pack("1"), body
    assert (await engine.get(query))[0] == 400


@case
async def closes_on_second_post(engine):
    query = await engine.polling()

    async def slow():
        yield b"4"
        await asyncio.sleep(0.15)
        yield b"x"

    first = asyncio.create_task(engine.post(query, slow()))
    await asyncio.sleep(0.05)
    status, _, _ = await engine.post(query, engine.pack("4hello"))
    assert status == 400, status
    try:
        assert (await first)[0] == 400
    except aiohttp.ClientError:
        pass
    assert (await engine.get(query))[0] == 400


@case
async def closes_on_invalid_packet(engine):
    query = await engine.polling()
    assert (await engine.post(query, "abc"))[0] == 400
    assert (await engine.get(query))[0] == 400
    async with engine.websocket() as socket:
        await socket.recv()
        await socket.send("abc")
        await expect_close(socket, 0.2)


@case
async def refuses_large_bodies(engine):
    query = await engine.polling()
    status, _, _ = await engine.post(query, "4" + "x" * 1000000)
    assert status == 413, status
    async with engine.websocket() as socket:
        await socket.recv()
        await socket.send("4" + "x" * 1000000)
        await expect_close(socket, 0.2)
        assert socket.close_code == 1009, socket.close_code


@case
async def closes_silent_sessions(engine):
    query = await engine.polling()
    await asyncio.sleep(PING_INTERVAL + PING_TIMEOUT + 0.02)
    assert (await engine.post(query, engine.pack("2" if engine.version == 3 else "3")))[0] == 400
    async with engine.websocket() as socket:
        await expect_close(socket, 1)


@case
async def closes_when_told(engine):
    query = await engine.polling()
    poll = asyncio.create_task(engine.get(query))
    await asyncio.sleep(0.02)
    status, body, _ = await engine.post(query, engine.pack("1"))
    assert (status, body) == (200, b"ok")
    status, body, _ = await poll
    assert status == 200 and body.decode() == engine.pack("6"), body
    assert (await engine.get(query))[0] == 400
    async with engine.websocket() as socket:
        await socket.recv()
        await socket.send("1")
        await expect_close(socket, 0.2)


@case
async def a_second_websocket_is_closed(engine):
    query = await engine.polling()
    async with engine.websocket(query) as socket:
        await socket.send("2probe")
        assert await socket.recv() == "3probe"
        async with engine.websocket(query) as early:
            await expect_close(early, 0.2)
        await socket.send("5")
        async with engine.websocket(query) as late:
            await expect_close(late, 0.2)
        status, body, _ = await engine.get(query)
        assert status == 400 and json.loads(body)["code"] == 3, body


@case
async def a_failed_probe_leaves_polling(engine):
    query = await engine.polling()
    async with engine.websocket(query) as socket:
        await socket.send("4hello")
        await expect_close(socket, 0.2)
    async with engine.websocket(query) as socket:
        await socket.send("2probe")
        assert await socket.recv() == "3probe"
    await asyncio.sleep(0.02)
    async with engine.websocket(query) as socket:
        await socket.send("2probe")
        assert await socket.recv() == "3probe"
        await socket.send("5")


# Engine.IO echoing on /engine.io/


@case
async def echo_polling(engine):
    for packets in (["4hello"], ["4test1", "4test2", "4test3"], ["4한글 €", "4"]):
        query = await engine.polling()
        status, body, headers = await engine.post(query, engine.pack(*packets))
        assert (status, body, headers["Content-Type"]) == (200, b"ok", "text/html")
        status, body, _ = await engine.get(query)
        assert status == 200 and body.decode() == engine.pack(*packets), body


@case
async def echo_websocket(engine):
    async with engine.websocket() as socket:
        await socket.recv()
        await socket.send("4hello")
        assert await socket.recv() == "4hello"
        binary = bytes([1, 2, 3, 4]) if engine.version == 4 else bytes([4, 1, 2, 3, 4])
        await socket.send(binary)
        assert await socket.recv() == binary


@case
async def echo_upgrade(engine):
    query = await engine.polling()
    async with engine.websocket(query) as socket:
        await socket.send("2probe")
        assert await socket.recv() == "3probe"
        status, body, _ = await engine.get(query)
        assert status == 200 and body.decode() == engine.pack("6"), body
        await socket.send("5")
        await socket.send("4hello")
        assert await socket.recv() == "4hello"
        assert (await engine.get(query))[0] == 400
        await socket.send("4hello")
        assert await socket.recv() == "4hello"


@case
async def echo_upgrade_ends_waiting_poll(engine):
    query = await engine.polling()
    poll = asyncio.create_task(engine.get(query))
    await asyncio.sleep(0.02)
    async with engine.websocket(query) as socket:
        await socket.send("2probe")
        assert await socket.recv() == "3probe"
        assert (await poll)[1].decode() == engine.pack("6")
        # What is sent before the upgrade is done is not lost.
        await engine.post(query, engine.pack("4between"))
        await socket.send("5")
        assert await socket.recv() == "4between"


@case
async def v4_echo_binary_polling(engine):
    query = await engine.polling()
    assert (await engine.post(query, "4hello\x1ebAQIDBA=="))[1] == b"ok"
    assert (await engine.get(query))[1] == b"4hello\x1ebAQIDBA=="


@case
async def v4_heartbeat(engine):
    query = await engine.polling()
    for _ in range(3):
        status, body, _ = await engine.get(query)
        assert (status, body) == (200, b"2"), body
        assert (await engine.post(query, "3"))[0] == 200
    async with engine.websocket() as socket:
        await socket.recv()
        for _ in range(3):
            assert await socket.recv() == "2"
            await socket.send("3")


@case
async def v4_refuses_pings_and_bytes(engine):
    query = await engine.polling()
    await engine.post(query, "2")
    assert (await engine.get(query))[0] == 400
    query = await engine.polling()
    headers = {"Content-Type": "application/octet-stream"}
    assert (await engine.post(query, b"4hello", headers=headers))[0] == 400


@case
async def v3_echo_binary_polling(engine):
    query = await engine.polling("&b64=1")
    assert (await engine.post(query, "6:4hello10:b4AQIDBA=="))[1] == b"ok"
    assert (await engine.get(query))[1] == b"6:4hello10:b4AQIDBA=="
    query = await engine.polling()
    assert (await engine.post(query, "6:4hello10:b4AQIDBA=="))[1] == b"ok"
    _, body, headers = await engine.get(query)
    assert body == bytes([0, 6, 255]) + b"4hello" + bytes([1, 5, 255, 4, 1, 2, 3, 4]), body
    assert headers["Content-Type"] == "application/octet-stream"
    assert (await engine.post(query, body, headers={"Content-Type": "application/octet-stream"}))[1] == b"ok"
    assert (await engine.get(query))[1] == body


@case
async def v3_counts_like_javascript(engine):
    query = await engine.polling()
    assert (await engine.post(query, "3:4😀2:4€"))[1] == b"ok"
    assert (await engine.get(query))[1].decode() == "3:4😀2:4€"


@case
async def v3_heartbeat(engine):
    query = await engine.polling("&b64=1")
    for _ in range(3):
        assert (await engine.post(query, "1:2"))[0] == 200
        assert (await engine.get(query))[1] == b"1:3"
    async with engine.websocket() as socket:
        await socket.recv()
        for _ in range(3):
            await socket.send("2")
            assert await socket.recv() == "3"
        await socket.send("2data")
        assert await socket.recv() == "3data"


# Socket.IO 5 on /socket.io/


async def joined(socket, namespace="", payload=""):
    await socket.send(f"40{namespace}{payload}")
    answer = await packet(socket)
    assert answer.startswith(f"40{namespace}"), answer
    assert set(json.loads(answer[2 + len(namespace):])) == {"sid"}
    auth = await packet(socket)
    assert auth == f'42{namespace}["auth",{payload or "{}"}]', auth


async def packet(socket):
    while True:
        message = await asyncio.wait_for(socket.recv(), 2)
        if message != "2":
            return message
        await socket.send("3")


async def socketio(engine):
    socket = await engine.websocket()
    assert (await socket.recv())[0] == "0"
    return socket


@case
async def sio_connects(engine):
    for namespace in ("", "/custom,"):
        for payload in ("", '{"token":"123"}'):
            await joined(await socketio(engine), namespace, payload)


@case
async def sio_refuses_namespaces(engine):
    socket = await socketio(engine)
    await socket.send("40/random")
    assert await packet(socket) == '44/random,{"message":"Invalid namespace"}'
    await joined(socket)


@case
async def sio_closes_on_bad_handshakes(engine):
    for first in ("4abc", '42["message","x"]', "40[]", "4", '43123[]', '44{"message":"x"}'):
        socket = await socketio(engine)
        await socket.send(first)
        await expect_close(socket, 0.2)
    await expect_close(await socketio(engine), 1)


@case
async def sio_disconnects(engine):
    socket = await socketio(engine)
    await joined(socket)
    await socket.send("41")
    assert await socket.recv() == "2"
    await socket.send("3")
    await joined(socket)
    await joined(socket, "/custom,")
    await socket.send("41/custom,")
    await socket.send('42["message","message to main namespace"]')
    assert await packet(socket) == '42["message-back","message to main namespace"]'
    await joined(socket, "/custom,")


@case
async def sio_messages(engine):
    socket = await socketio(engine)
    await joined(socket)
    await socket.send('42["message",1,"2",{"3":[true]}]')
    assert await packet(socket) == '42["message-back",1,"2",{"3":[true]}]'
    await socket.send('42456["message-with-ack",1,"2",{"3":[false]}]')
    assert await packet(socket) == '43456[1,"2",{"3":[false]}]'


@case
async def sio_attachments(engine):
    socket = await socketio(engine)
    await joined(socket)
    for sent, answered in (("52-", "52-"), ("52-789", "62-789")):
        name, back = ('"message",', '"message-back",') if sent == "52-" else ('"message-with-ack",', "")
        places = '{"_placeholder":true,"num":0},{"_placeholder":true,"num":1}'
        await socket.send(f"4{sent}[{name}{places}]")
        await socket.send(bytes([1, 2, 3]))
        await socket.send(bytes([4, 5, 6]))
        assert await packet(socket) == f"4{answered}[{back}{places}]"
        assert await packet(socket) == bytes([1, 2, 3])
        assert await packet(socket) == bytes([4, 5, 6])


@case
async def sio_closes_on_bad_packets(engine):
    for bad in (
        "4abc",
        "42{}",
        "42",
        "42[]",
        '42[null]',
        '42["connect"]',
        '42abc["message-with-ack",1]',
        "4599-[]",
        '451-["message",{"_placeholder":true,"num":1}]',
        "43[]",
        "431{}",
        "41[]",
        b"\x01",
        '42/unknown,["message"]',
        "40",
    ):
        socket = await socketio(engine)
        await joined(socket)
        await socket.send(bad)
        await expect_close(socket, 0.2)


@case
async def sio_over_polling(engine):
    query = await engine.polling()
    await engine.post(query, '40\x1e40/custom,{"a":1}')
    packets = (await engine.get(query))[1].decode().split("\x1e")
    assert packets[1] == '42["auth",{}]' and packets[3] == '42/custom,["auth",{"a":1}]', packets
    await engine.post(query, '451-["message",{"_placeholder":true,"num":0}]\x1ebAQID')
    body = (await engine.get(query))[1].decode()
    assert body == '451-["message-back",{"_placeholder":true,"num":0}]\x1ebAQID', body


# Socket.IO 4 over Engine.IO 3


@case
async def sio3_is_in_the_main_namespace(engine):
    status, body, _ = await engine.get()
    packets = engine.unpack(body.decode())
    assert packets[1:] == ["40", '42["auth",{}]'], packets
    socket = await socketio(engine)
    assert await socket.recv() == "40"
    assert await socket.recv() == '42["auth",{}]'
    await socket.send("40/custom?token=1%202&uid=a")
    assert await socket.recv() == "40/custom,"
    assert await socket.recv() == '42/custom,["auth",{"token":"1 2","uid":"a"}]'
    await socket.send("40/random,")
    assert await socket.recv() == '44/random,"Invalid namespace"'
    await socket.send('42/custom,7["message-with-ack","x"]')
    assert await socket.recv() == '43/custom,7["x"]'
    await socket.send("41/custom,")
    await socket.send('42["message","x"]')
    assert await socket.recv() == '42["message-back","x"]'


def belongs(function, path, version):
    name = function.__name__
    if name.startswith("echo"):
        return path == "engine.io"
    if name.startswith("sio3_"):
        return path == "socket.io" and version == 3
    if name.startswith("sio_"):
        return path == "socket.io" and version == 4
    if name.startswith("v3_"):
        return path == "engine.io" and version == 3
    if name.startswith("v4_"):
        return version == 4 and path == "engine.io"
    return True


async def run(function, engine, failures):
    name = f"{function.__name__} ({engine.query})"
    try:
        await asyncio.wait_for(function(engine), 10)
    except Exception:
        failures.append(name)
        print(f"FAILED {name}")
        traceback.print_exc()


async def main():
    failures = []
    count = 0
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        for path in ("engine.io", "socket.io"):
            for version in (4, 3):
                engine = Engine(session, path, version)
                chosen = [each for each in CASES if belongs(each, path, version) and ONLY in each.__name__]
                count += len(chosen)
                for function in chosen:
                    await run(function, engine, failures)
    print(f"{count - len(failures)} of {count} cases pass")
    return 1 if failures else 0


sys.exit(asyncio.run(main()))
