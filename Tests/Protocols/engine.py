"""A minimal Engine.IO client: requests, bodies and WebSockets as in the protocol documents."""

import asyncio
import json
import os

import aiohttp
import websockets

PING_INTERVAL = 0.3
PING_TIMEOUT = 0.2
# The public suites' time limit is less than a busy machine may take to run a client in Python.
PATIENCE = int(os.environ.get("MARU_PATIENCE", "1"))
PATIENT_TIMEOUT = 2 * PATIENCE
# The pauses between two requests that must arrive in their order, from one attempt to the next: a busy server may take as long to read the
# first.
PAUSES = (0.05, 0.2, 0.8, 3, 6)
# The library's own limits, 10 s for an opening and 20 s for the answer to a ping, are less than a machine may stand still.
PATIENT_SOCKET = {"open_timeout": 20 * PATIENCE, "ping_interval": None}


class Engine:
    def __init__(self, port, path, version):
        self.port = port
        self.version = version
        self.path = f"/{path}/"
        self.query = f"/{path}/?EIO={version}"

    async def get(self, target="", **options):
        return await self.request("GET", target, **options)

    async def post(self, target, body, **options):
        return await self.request("POST", target, data=body, **options)

    async def request(self, method, target="", **options):
        """Returns status, body and headers. Each request has a connection of its own, and so arrives on any loop."""
        url = f"http://127.0.0.1:{self.port}{target or self.query + '&transport=polling'}"
        async with aiohttp.ClientSession() as session, session.request(method, url, **options) as reply:
            return reply.status, await reply.read(), reply.headers

    async def begin_get(self, target):
        """Sends a request without waiting for the reply; returns the client that sent it."""
        _, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n\r\n".encode())
        await writer.drain()
        return writer

    async def polling(self, more=""):
        """Opens a session; returns the target that names it."""
        status, body, _ = await self.get(f"{self.query}&transport=polling{more}")
        assert status == 200, body
        return f"{self.query}&transport=polling&sid={self.opened(body.decode())['sid']}"

    def opened(self, payload):
        packet = self.unpack(payload)[0]
        assert packet[0] == "0"
        return json.loads(packet[1:])

    def unpack(self, payload):
        if self.version == 4:
            return payload.split("\x1e")
        packets = []
        while payload:
            length, _, payload = payload.partition(":")
            packets.append(payload[: int(length)])
            payload = payload[int(length) :]
        return packets

    def pack(self, *packets):
        if self.version == 4:
            return "\x1e".join(packets)
        return "".join(f"{len(packet)}:{packet}" for packet in packets)

    def websocket(self, target=None):
        target = target.replace("polling", "websocket") if target else f"{self.query}&transport=websocket"
        return websockets.connect(f"ws://127.0.0.1:{self.port}{target}", compression=None, **PATIENT_SOCKET)

    async def joinable(self):
        """Opens a WebSocket and reads its open packet."""
        socket = await self.websocket()
        assert (await socket.recv())[0] == "0"
        return socket


# Less than a server that pings nobody takes to close a silent client, so a close within it has another cause.
async def expect_close(socket, within=20 * PATIENCE):
    async def drain():
        try:
            async for _ in socket:
                pass
        except websockets.ConnectionClosed:
            pass

    await asyncio.wait_for(drain(), within)
