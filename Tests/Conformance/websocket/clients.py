"""Holds `websocket-echo` against clients of others: python clients.py PORT

Needs the packages of requirements.txt. Ends with 0 when every client gets back what it sent, under every combination of
permessage-deflate's parameters, and sees the codes that it should.
"""

import asyncio
import itertools
import random
import socket
import sys

import aiohttp
import websocket
import websockets
from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, BytesMessage, CloseConnection, Ping, Pong, Request, TextMessage
from wsproto.extensions import PerMessageDeflate

PORT = int(sys.argv[1])
URL = f"ws://127.0.0.1:{PORT}/echo"
LARGEST = 16 << 20
SIZES = [0, 1, 125, 126, 65535, 65536, 1 << 20]


def text_of(length):
    return ("마루 %d " % length * (length // 4 + 1))[:length]


async def with_websockets(extension, label):
    extensions = [extension] if extension else None
    async with websockets.connect(URL, extensions=extensions, compression=None, max_size=2 * LARGEST) as client:
        assert bool(client.protocol.extensions) == bool(extension), label
        for length in SIZES:
            for message in (text_of(length), random.randbytes(length)):
                await client.send(message)
                assert await client.recv() == message, (label, length)
        parts = ["조각 %d " % number * 50 for number in range(10)]
        await client.send(parts)
        assert await client.recv() == "".join(parts), label
        await (await client.ping())


async def every_deflate():
    switches = itertools.product((False, True), (False, True), (None, 9, 12, 15), (None, True, 9, 12, 15))
    for server_forgets, client_forgets, server_bits, client_bits in switches:
        extension = ClientPerMessageDeflateFactory(
            server_no_context_takeover=server_forgets,
            client_no_context_takeover=client_forgets,
            server_max_window_bits=server_bits,
            client_max_window_bits=client_bits,
        )
        await with_websockets(extension, (server_forgets, client_forgets, server_bits, client_bits))


async def largest(compression):
    client = await websockets.connect(URL, max_size=2 * LARGEST, compression=compression)
    message = random.randbytes(LARGEST)
    await client.send(message)
    assert await client.recv() == message
    await client.send(b"x" * (LARGEST + 1))
    try:
        await client.recv()
        assert False, "a message above the limit came back"
    except websockets.ConnectionClosed as closed:
        assert closed.rcvd.code == 1009, closed


async def with_aiohttp():
    async with aiohttp.ClientSession() as session:
        for compress in (0, 9, 15):
            async with session.ws_connect(URL, compress=compress, max_msg_size=2 * LARGEST) as client:
                for length in SIZES:
                    await client.send_str(text_of(length))
                    assert (await client.receive_str()) == text_of(length)
                await client.close(code=4000)
                assert client.close_code == 4000, client.close_code
        for target, status in (("/other", 404), ("/echo", 400)):
            async with session.get(f"http://127.0.0.1:{PORT}{target}") as reply:
                assert reply.status == status, reply.status


def with_websocket_client():
    client = websocket.create_connection(URL)
    for length in SIZES:
        client.send(text_of(length))
        assert client.recv() == text_of(length)
    client.close(status=3000)


def with_wsproto(extensions):
    connection = WSConnection(ConnectionType.CLIENT)
    wire = socket.create_connection(("127.0.0.1", PORT), timeout=10)
    request = Request(host="localhost", target="/echo", extensions=extensions)
    wire.sendall(connection.send(request))

    def events():
        while True:
            data = wire.recv(65536)
            connection.receive_data(data or None)
            yield from connection.events()

    incoming = events()
    accepted = next(incoming)
    assert isinstance(accepted, AcceptConnection), accepted
    assert len(accepted.extensions) == len(extensions)
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


async def main():
    await with_websockets(None, "plain")
    await every_deflate()
    await largest(None)
    await largest("deflate")
    await with_aiohttp()
    with_websocket_client()
    with_wsproto([])
    with_wsproto([PerMessageDeflate()])
    with_wsproto([PerMessageDeflate(client_no_context_takeover=True, server_no_context_takeover=True)])
    print("all clients are content")


asyncio.run(main())
