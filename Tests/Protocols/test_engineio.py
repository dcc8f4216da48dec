"""The cases of the public suites for Engine.IO 4 and 3, rewritten, and further rules of the protocol documents."""

import asyncio
import contextlib
import json

import aiohttp
import pytest
import websockets
from engine import PATIENCE, PAUSES, PING_INTERVAL, PING_TIMEOUT, expect_close


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


@pytest.mark.pings("suite")
async def test_opens_polling(engine):
    status, body, headers = await engine.get()
    assert status == 200 and headers["Content-Type"] == "text/plain; charset=UTF-8", headers
    assert headers["Access-Control-Allow-Origin"] == "*"
    check_opened(engine.opened(body.decode()), ["websocket"])


async def test_refuses_bad_handshakes(engine):
    path = engine.path
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


async def test_answers_preflight(engine):
    headers = {"Origin": "http://other", "Access-Control-Request-Headers": "x-a"}
    status, _, headers = await engine.request("OPTIONS", "", headers=headers)
    assert status == 204 and headers["Access-Control-Allow-Origin"] == "*"
    assert headers["Access-Control-Allow-Headers"] == "x-a"


@pytest.mark.pings("suite")
async def test_opens_websocket(engine):
    async with engine.websocket() as socket:
        first = await socket.recv()
        assert first[0] == "0"
        check_opened(json.loads(first[1:]), [])


async def test_refuses_bad_websockets(engine):
    path = engine.path
    for query in (
        "?transport=websocket",
        "?EIO=abc&transport=websocket",
        f"?EIO={engine.version}",
        f"?EIO={engine.version}&transport=abc",
        f"?EIO={engine.version}&transport=websocket&sid=unknown",
    ):
        await expect_refused(engine, path + query)


async def test_closes_on_cancelled_poll(engine):
    # A busy server may read the second poll before the first one, and then it waits.
    for pause in PAUSES:
        query = await engine.polling()
        poll = await engine.begin_get(query)
        await asyncio.sleep(pause)
        poll.close()
        await asyncio.sleep(pause)
        status = 0
        with contextlib.suppress(asyncio.TimeoutError):
            status, _, _ = await asyncio.wait_for(engine.get(query), 5 * PATIENCE)
        if status == 400:
            break
    assert status == 400, status


async def test_closes_on_second_poll(engine):
    query = await engine.polling()
    polls = await asyncio.gather(engine.get(query), engine.get(query + "&t=burst"))
    # The order of the two is not specified.
    (status, body, _), (second, _, _) = sorted(polls, key=lambda poll: poll[0])
    assert second == 400, second
    assert status == 200 and body.decode() == engine.pack("1"), body
    assert (await engine.get(query))[0] == 400


async def test_closes_on_second_post(engine):
    # A busy server may read the second post before the first one.
    for pause in PAUSES:
        query = await engine.polling()
        begun, answered = asyncio.Event(), asyncio.Event()

        async def slow():
            yield b"4"
            begun.set()
            await answered.wait()
            yield b"x"

        first = asyncio.create_task(engine.post(query, slow()))
        await begun.wait()
        await asyncio.sleep(pause)
        status, _, _ = await engine.post(query, engine.pack("4hello"))
        answered.set()
        try:
            ended, _, _ = await first
        except aiohttp.ClientError:
            ended = 400
        if status == 400:
            break
    assert (status, ended) == (400, 400)
    assert (await engine.get(query))[0] == 400


async def test_closes_on_invalid_packet(engine):
    query = await engine.polling()
    assert (await engine.post(query, "abc"))[0] == 400
    assert (await engine.get(query))[0] == 400
    async with engine.websocket() as socket:
        await socket.recv()
        await socket.send("abc")
        await expect_close(socket)


async def test_refuses_large_bodies(engine):
    query = await engine.polling()
    status, _, _ = await engine.post(query, "4" + "x" * 1000000)
    assert status == 413, status
    async with engine.websocket() as socket:
        await socket.recv()
        await socket.send("4" + "x" * 1000000)
        await expect_close(socket)
        assert socket.close_code == 1009, socket.close_code


@pytest.mark.pings("suite")
async def test_closes_silent_sessions(engine):
    # A server that stood still meanwhile gives a session more time.
    for _ in range(5):
        query = await engine.polling()
        await asyncio.sleep(2 * (PING_INTERVAL + PING_TIMEOUT))
        status, *_ = await engine.post(query, engine.pack("2" if engine.version == 3 else "3"))
        if status == 400:
            break
    assert status == 400
    async with engine.websocket() as socket:
        await expect_close(socket)


async def test_closes_when_told(engine):
    # A busy server may read the poll after the end of its session.
    for pause in PAUSES:
        query = await engine.polling()
        poll = asyncio.create_task(engine.get(query))
        await asyncio.sleep(pause)
        status, body, _ = await engine.post(query, engine.pack("1"))
        assert (status, body) == (200, b"ok")
        status, body, _ = await poll
        if status == 200:
            break
    assert status == 200 and body.decode() == engine.pack("6"), body
    assert (await engine.get(query))[0] == 400
    async with engine.websocket() as socket:
        await socket.recv()
        await socket.send("1")
        await expect_close(socket)


async def test_a_second_websocket_is_closed(engine):
    query = await engine.polling()
    async with engine.websocket(query) as socket:
        await socket.send("2probe")
        assert await socket.recv() == "3probe"
        async with engine.websocket(query) as early:
            await expect_close(early)
        await socket.send("5")
        async with engine.websocket(query) as late:
            await expect_close(late)
        status, body, _ = await engine.get(query)
        assert status == 400 and json.loads(body)["code"] == 3, body


async def test_a_failed_probe_leaves_polling(engine):
    query = await engine.polling()
    async with engine.websocket(query) as socket:
        await socket.send("4hello")
        await expect_close(socket)
    async with engine.websocket(query) as socket:
        await socket.send("2probe")
        assert await socket.recv() == "3probe"
    # A busy server may take the next one for a second one, and close it.
    answer = None
    for pause in PAUSES:
        await asyncio.sleep(pause)
        with contextlib.suppress(websockets.ConnectionClosed):
            async with engine.websocket(query) as socket:
                await socket.send("2probe")
                answer = await socket.recv()
                await socket.send("5")
                break
    assert answer == "3probe"


# Engine.IO echoing on /engine.io/


@pytest.mark.engine("engine.io")
async def test_echo_polling(engine):
    for packets in (["4hello"], ["4test1", "4test2", "4test3"], ["4한글 €", "4"]):
        query = await engine.polling()
        status, body, headers = await engine.post(query, engine.pack(*packets))
        assert (status, body, headers["Content-Type"]) == (200, b"ok", "text/html")
        status, body, _ = await engine.get(query)
        assert status == 200 and body.decode() == engine.pack(*packets), body


@pytest.mark.engine("engine.io")
async def test_echo_websocket(engine):
    async with engine.websocket() as socket:
        await socket.recv()
        await socket.send("4hello")
        assert await socket.recv() == "4hello"
        binary = bytes([1, 2, 3, 4]) if engine.version == 4 else bytes([4, 1, 2, 3, 4])
        await socket.send(binary)
        assert await socket.recv() == binary


@pytest.mark.engine("engine.io")
async def test_echo_upgrade(engine):
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


@pytest.mark.engine("engine.io")
async def test_echo_upgrade_ends_waiting_poll(engine):
    query = await engine.polling()
    poll = asyncio.create_task(engine.get(query))
    await asyncio.sleep(0.02)
    async with engine.websocket(query) as socket:
        await socket.send("2probe")
        assert await socket.recv() == "3probe"
        assert (await poll)[1].decode() == engine.pack("6")
        # A packet sent before the upgrade is complete is not lost.
        await engine.post(query, engine.pack("4between"))
        await socket.send("5")
        assert await socket.recv() == "4between"


@pytest.mark.engine(exactly=("engine.io", 4))
async def test_version_4_echo_binary_polling(engine):
    query = await engine.polling()
    assert (await engine.post(query, "4hello\x1ebAQIDBA=="))[1] == b"ok"
    assert (await engine.get(query))[1] == b"4hello\x1ebAQIDBA=="


@pytest.mark.engine(exactly=("engine.io", 4))
@pytest.mark.pings("patient")
async def test_version_4_heartbeat(engine):
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


@pytest.mark.engine(exactly=("engine.io", 4))
async def test_version_4_refuses_pings_and_bytes(engine):
    query = await engine.polling()
    await engine.post(query, "2")
    assert (await engine.get(query))[0] == 400
    query = await engine.polling()
    headers = {"Content-Type": "application/octet-stream"}
    assert (await engine.post(query, b"4hello", headers=headers))[0] == 400


@pytest.mark.engine(exactly=("engine.io", 3))
async def test_version_3_echo_binary_polling(engine):
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


@pytest.mark.engine(exactly=("engine.io", 3))
async def test_version_3_counts_like_javascript(engine):
    query = await engine.polling()
    assert (await engine.post(query, "3:4😀2:4€"))[1] == b"ok"
    assert (await engine.get(query))[1].decode() == "3:4😀2:4€"


@pytest.mark.engine(exactly=("engine.io", 3))
async def test_version_3_heartbeat(engine):
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
