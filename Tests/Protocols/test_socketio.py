"""The cases of the public suite for Socket.IO 5, rewritten, and of revision 4 on Engine.IO 3."""

import asyncio
import json

import pytest
from engine import PATIENCE, expect_close


async def joined(socket, namespace="", payload=""):
    await socket.send(f"40{namespace}{payload}")
    answer = await packet(socket)
    assert answer.startswith(f"40{namespace}"), answer
    assert set(json.loads(answer[2 + len(namespace):])) == {"sid"}
    auth = await packet(socket)
    assert auth == f'42{namespace}["auth",{payload or "{}"}]', auth


async def packet(socket):
    while True:
        message = await asyncio.wait_for(socket.recv(), 20 * PATIENCE)
        if message != "2":
            return message
        await socket.send("3")


@pytest.mark.engine(exactly=("socket.io", 4))
async def test_connects(engine):
    for namespace in ("", "/custom,"):
        for payload in ("", '{"token":"123"}'):
            await joined(await engine.joinable(), namespace, payload)


@pytest.mark.engine(exactly=("socket.io", 4))
async def test_refuses_namespaces(engine):
    socket = await engine.joinable()
    await socket.send("40/random")
    assert await packet(socket) == '44/random,{"message":"Invalid namespace"}'
    await joined(socket)


@pytest.mark.engine(exactly=("socket.io", 4))
async def test_closes_on_bad_handshakes(engine):
    for first in ("4abc", '42["message","x"]', "40[]", "4", '43123[]', '44{"message":"x"}'):
        socket = await engine.joinable()
        await socket.send(first)
        await expect_close(socket)


@pytest.mark.engine(exactly=("socket.io", 4))
@pytest.mark.pings("suite")
async def test_closes_a_client_that_says_nothing(engine):
    await expect_close(await engine.joinable())


@pytest.mark.engine(exactly=("socket.io", 4))
@pytest.mark.pings("patient")
async def test_disconnects(engine):
    socket = await engine.joinable()
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


@pytest.mark.engine(exactly=("socket.io", 4))
async def test_messages(engine):
    socket = await engine.joinable()
    await joined(socket)
    await socket.send('42["message",1,"2",{"3":[true]}]')
    assert await packet(socket) == '42["message-back",1,"2",{"3":[true]}]'
    await socket.send('42456["message-with-ack",1,"2",{"3":[false]}]')
    assert await packet(socket) == '43456[1,"2",{"3":[false]}]'


@pytest.mark.engine(exactly=("socket.io", 4))
async def test_attachments(engine):
    socket = await engine.joinable()
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


@pytest.mark.engine(exactly=("socket.io", 4))
async def test_closes_on_bad_packets(engine):
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
        socket = await engine.joinable()
        await joined(socket)
        await socket.send(bad)
        await expect_close(socket)


@pytest.mark.engine(exactly=("socket.io", 4))
async def test_over_polling(engine):
    query = await engine.polling()
    await engine.post(query, '40\x1e40/custom,{"a":1}')
    packets = (await engine.get(query))[1].decode().split("\x1e")
    assert packets[1] == '42["auth",{}]' and packets[3] == '42/custom,["auth",{"a":1}]', packets
    await engine.post(query, '451-["message",{"_placeholder":true,"num":0}]\x1ebAQID')
    body = (await engine.get(query))[1].decode()
    assert body == '451-["message-back",{"_placeholder":true,"num":0}]\x1ebAQID', body


# Socket.IO 4 over Engine.IO 3


@pytest.mark.engine(exactly=("socket.io", 3))
async def test_predecessor_is_in_the_main_namespace(engine):
    status, body, _ = await engine.get()
    packets = engine.unpack(body.decode())
    assert packets[1:] == ["40", '42["auth",{}]'], packets
    socket = await engine.joinable()
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
