"""Tests websocket-echo with third-party WebSocket clients and every combination of permessage-deflate parameters."""

import random
import socket

import aiohttp
import pytest
import websocket
import websockets
from engine import PATIENCE, PATIENT_SOCKET
from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, BytesMessage, CloseConnection, Ping, Pong, Request, TextMessage
from wsproto.extensions import PerMessageDeflate

LARGEST = 16 << 20
SIZES = [0, 1, 125, 126, 65535, 65536, 1 << 20]


@pytest.fixture
def url(echo_port):
    return f"ws://127.0.0.1:{echo_port}/echo"


def text_of(length):
    return ("마루 %d " % length * (length // 4 + 1))[:length]


async def echoes(url, extension):
    extensions = [extension] if extension else None
    options = {"extensions": extensions, "compression": None, "max_size": 2 * LARGEST}
    async with websockets.connect(url, **options, **PATIENT_SOCKET) as client:
        assert bool(client.protocol.extensions) == bool(extension)
        for length in SIZES:
            for message in (text_of(length), random.randbytes(length)):
                await client.send(message)
                assert await client.recv() == message
        parts = ["조각 %d " % number * 50 for number in range(10)]
        await client.send(parts)
        assert await client.recv() == "".join(parts)
        await (await client.ping())


async def test_websockets_without_compression(url):
    await echoes(url, None)


@pytest.mark.parametrize("server_forgets", [False, True])
@pytest.mark.parametrize("client_forgets", [False, True])
@pytest.mark.parametrize("server_bits", [None, 9, 12, 15])
@pytest.mark.parametrize("client_bits", [None, True, 9, 12, 15])
async def test_websockets_with_compression(url, server_forgets, client_forgets, server_bits, client_bits):
    await echoes(
        url,
        ClientPerMessageDeflateFactory(
            server_no_context_takeover=server_forgets,
            client_no_context_takeover=client_forgets,
            server_max_window_bits=server_bits,
            client_max_window_bits=client_bits,
        ),
    )


@pytest.mark.parametrize("compression", [None, "deflate"])
async def test_the_largest_message_passes_and_no_larger(url, compression):
    client = await websockets.connect(url, max_size=2 * LARGEST, compression=compression, **PATIENT_SOCKET)
    message = random.randbytes(LARGEST)
    await client.send(message)
    assert await client.recv() == message
    await client.send(b"x" * (LARGEST + 1))
    with pytest.raises(websockets.ConnectionClosed) as closed:
        await client.recv()
    assert closed.value.rcvd.code == 1009


@pytest.mark.parametrize("compress", [0, 9, 15])
async def test_aiohttp(url, compress):
    async with aiohttp.ClientSession() as session:
        async with session.ws_connect(url, compress=compress, max_msg_size=2 * LARGEST) as client:
            for length in SIZES:
                await client.send_str(text_of(length))
                assert await client.receive_str() == text_of(length)
            await client.close(code=4000)
            assert client.close_code == 4000


def test_websocket_client(url):
    client = websocket.create_connection(url)
    for length in SIZES:
        client.send(text_of(length))
        assert client.recv() == text_of(length)
    client.close(status=3000)


FORGETFUL = PerMessageDeflate(client_no_context_takeover=True, server_no_context_takeover=True)


@pytest.mark.parametrize("extensions", [[], [PerMessageDeflate()], [FORGETFUL]], ids=["plain", "deflate", "forgetful"])
def test_wsproto(echo_port, extensions):
    connection = WSConnection(ConnectionType.CLIENT)
    wire = socket.create_connection(("127.0.0.1", echo_port), timeout=20 * PATIENCE)
    wire.sendall(connection.send(Request(host="localhost", target="/echo", extensions=extensions)))

    def events():
        while True:
            connection.receive_data(wire.recv(65536) or None)
            yield from connection.events()

    incoming = events()
    accepted = next(incoming)
    assert isinstance(accepted, AcceptConnection) and len(accepted.extensions) == len(extensions)
    wire.sendall(connection.send(TextMessage("첫 ", message_finished=False)))
    wire.sendall(connection.send(Ping(b"between")))
    wire.sendall(connection.send(TextMessage("둘")))
    assert next(incoming) == Pong(b"between")
    assert next(incoming) == TextMessage("첫 둘")
    for _ in range(3):
        wire.sendall(connection.send(BytesMessage(b"again " * 1000)))
        received = b""
        while len(received) < 6000:
            received += next(incoming).data
        assert received == b"again " * 1000
    wire.sendall(connection.send(CloseConnection(1001, "leaving")))
    assert next(incoming).code == 1001
    assert wire.recv(1) == b"", "the server ends the connection"
