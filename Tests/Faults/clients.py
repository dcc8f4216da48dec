"""Clients that write and read like an app, and record their calls, the replies and the received messages."""

import asyncio
import time
from functools import partial
from urllib.parse import quote

import aiohttp
import socketio
from engineio import packet
from recording import Change, Reader, Receipt, Send

# Seconds for which the gateway holds messages for a socket until its history is read, less a margin for a busy machine.
GATEWAY_WAITS = 0.8
# The time limit of a call. Apps wait for a minute, which is too long for these tests.
CALL_TIMEOUT = aiohttp.ClientTimeout(total=12)
# A half-open socket is read to its end within this many seconds, or its connection has broken.
DRAIN_TIMEOUT = 5
# No room has this namespace, so the gateway refuses it. The refusal follows everything that the socket was sent before.
NO_ROOM = "/the-end"


class Room:
    """A channel or DM, with its path in each generation."""

    def __init__(self, kind, id, workspace, name=None):
        self.kind, self.id, self.workspace, self.name = kind, int(id), int(workspace), name

    def __str__(self):
        return f"{self.kind}-{self.id}"

    @property
    def namespace(self):
        return f"/ws-{self.kind}-{self.id}"

    def path(self, app):
        segment = quote(self.name, safe="") if app.is_first and self.kind == "channel" else self.id
        return f"/v1/workspaces/{self.workspace}/{self.kind}s/{segment}/chats"


class Client:
    """A signed-in app that can run several calls at the same time."""

    def __init__(self, app, http, recording):
        self.app, self.http, self.recording = app, http, recording
        self.base, self.cookie = app.product.base, app.cookie

    async def call(self, method, path, **more):
        """Returns the status and the body; the status is 0 if there was no reply."""
        began = time.time()
        status, body = await self.attempt(method, path, **more)
        if status not in (200, 201):
            text = f"{method} {path.split('?')[0]}: {status} {body} at {time.time() - self.recording.began:.2f}"
            self.recording.failures.append((began, time.time(), text))
        return status, body

    async def attempt(self, method, path, **more):
        for attempt in (1, 2):
            headers = {"SesacKey": self.app.key, "Authorization": self.app.token}
            try:
                async with self.http.request(method, self.base + path, headers=headers, timeout=CALL_TIMEOUT, **more) as reply:
                    body = await reply.json(content_type=None)
                    if attempt == 1 and isinstance(body, dict) and body.get("errorCode") == "E05":
                        await self.refresh()
                        continue
                    return reply.status, body
            except (aiohttp.ClientError, asyncio.TimeoutError, ValueError):
                return 0, None

    async def refresh(self):
        headers = {"SesacKey": self.app.key, "Authorization": self.app.token, "RefreshToken": self.app.refresh}
        async with self.http.get(f"{self.base}/v1/auth/refresh", headers=headers, timeout=CALL_TIMEOUT) as reply:
            body = await reply.json()
            self.app.token = body.get("accessToken", self.app.token)
            self.app.refresh = body.get("refreshToken", self.app.refresh)
            if "maru_socket" in reply.cookies:
                self.cookie = f"maru_socket={reply.cookies['maru_socket'].value}"


class Writer(Client):
    """Sends one message after the other to its rooms in turn. With `names` it uses a client_id and retries until it gets a reply."""

    def __init__(self, app, http, recording, rooms, names, pause):
        super().__init__(app, http, recording)
        self.rooms, self.names, self.pause = rooms, names, pause
        self.count = 0

    async def run(self, until, rng):
        while not until.is_set():
            await self.say(self.rooms[self.count % len(self.rooms)])
            await asyncio.sleep(self.pause * rng.uniform(0.3, 1.7))

    async def say(self, room):
        self.count += 1
        name = f"{self.app.email} {self.count}" if self.names else None
        content = f"{self.app.key} {self.app.id} says {self.count}"
        fields = {"content": content, **({"client_id": name} if name else {})}
        began, ids, end = time.time(), [], time.time() + 120
        while True:
            status, body = await self.call("POST", room.path(self.app), json=fields)
            if status in (200, 201):
                ids.append(int(body.get("chat_id") or body.get("dm_id")))
            # Sometimes repeat an acknowledged send, as if its reply had been lost. It must change nothing.
            repeats = self.count % 10 == 0 and len(ids) == 1
            if not name or (ids and not repeats) or time.time() > end:
                break
            await asyncio.sleep(0 if ids else 0.3)
        send = Send(str(room), int(self.app.id), content, name, tuple(ids), began, time.time())
        self.recording.sends.append(send)
        return send


class Watcher(Client):
    """An app with one open room, which reads the history and listens on a socket.

    With `connects_first` it opens the socket before it asks for the history, otherwise after. Sometimes its user leaves the
    room and enters it again. When its connection breaks, it sometimes only reconnects, like the library, and sometimes enters
    the room again, like a user. Sometimes it changes its network: it opens a socket while the gateway still holds the old one.
    """

    def __init__(self, app, http, recording, room, *, connects_first, fatal, transports):
        super().__init__(app, http, recording)
        self.room, self.connects_first, self.transports = room, connects_first, transports
        self.reader = Reader(f"{app.key} {app.id}", str(room), fatal)
        recording.readers.append(self.reader)
        self.receipts = self.reader.receipts
        self.cursor = ""
        self.client = None
        # Sockets that the gateway still holds, and that the app does not read any more, with their changes of network.
        self.forgotten = {}
        self.refusals = 0
        self.count = {"connects": 0, "losses": 0, "entries": 0, "changes": 0}

    async def run(self, until, rng):
        """Runs until `until` is set, and then until it has entered the room once more."""
        self.until, self.rng = until, rng
        while not until.is_set():
            await self.enter()
            stay = rng.uniform(5, 25)
            while not until.is_set():
                if await self.stays(stay):
                    # The first time it always changes, so that every run has changes.
                    if until.is_set() or self.count["changes"] and rng.random() < 0.5:
                        break
                    await self.change_network()
                    continue
                self.count["losses"] += 1
                if rng.random() < 0.3:
                    await self.pause(0.5, 2)
                    break
                self.reader.losses.append(self.lost_at)
                await self.reconnect()
            await self.leave()
            await self.pause(0, 3)
        await self.enter()

    async def stays(self, seconds):
        """Whether the connection lasted until the user left."""
        waiting = [asyncio.create_task(self.lost.wait()), asyncio.create_task(self.until.wait())]
        await asyncio.wait(waiting, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        for each in waiting:
            each.cancel()
        return not self.lost.is_set()

    async def pause(self, least, most):
        await asyncio.sleep(self.rng.uniform(least, most))

    async def enter(self):
        """Returns when the history is read and the socket is open."""
        self.count["entries"] += 1
        began = time.time()
        if self.connects_first:
            self.joins_from = None
            await asyncio.gather(self.connect(), self.read())
        else:
            await self.read()
            await self.connect()
        self.reader.entries.append((began, time.time()))

    async def reconnect(self):
        """Connects again like the library, without reading the history. The library would wait for 10 s or more."""
        await self.leave()
        await self.pause(0.2, 2)
        await self.connect()

    async def change_network(self):
        """Opens a second socket of the session. The gateway holds the first one until it misses its heartbeat."""
        self.count["changes"] += 1
        old, self.client = self.client, None
        stop_reading(old)
        change = self.forgotten[old] = Change(time.time(), float("inf"))
        self.reader.changes.append(change)
        self.reader.ends.append(change.began)
        await self.connect()
        change.joined = time.time()

    async def read(self):
        """Asks for the messages after the newest one in the app's list, until there is a reply."""
        while True:
            began, index = time.time(), len(self.receipts)
            status, body = await self.call("GET", f"{self.room.path(self.app)}?cursor_date={quote(self.cursor)}")
            if status == 200:
                break
            await self.pause(0.3, 1)
        now = time.time()
        self.recording.reads.append((began, now))
        if self.connects_first and self.joins_from and now - self.joins_from > GATEWAY_WAITS:
            self.reader.slow_entries.append((self.joins_from, now))
        # An app sorts its list by time: messages that the socket received meanwhile come later.
        self.receipts[index:index] = [self.receipt(each, "history", now) for each in body]

    async def connect(self):
        while True:
            self.client = client = socketio.AsyncClient(reconnection=False, request_timeout=8)
            self.lost = asyncio.Event()
            client.on(self.room.kind, partial(self.received, client), namespace=self.room.namespace)
            client.on("disconnect", partial(self.disconnected, self.lost), namespace=self.room.namespace)
            # The gateway may hold messages for the socket well before this program sees that it has joined.
            self.joins_from = time.time()
            try:
                await client.connect(
                    self.base, headers={"Cookie": self.cookie}, namespaces=[self.room.namespace],
                    transports=self.transports, wait_timeout=60,
                )
                self.count["connects"] += 1
                return
            except (socketio.exceptions.SocketIOError, aiohttp.ClientError, asyncio.TimeoutError, ValueError, OSError) as error:
                if "namespaces" in str(error):
                    self.refusals += 1
                await client.shutdown()
                # The library does not close this session.
                if client.eio.http:
                    await client.eio.http.close()
                await self.pause(0.3, 1.5)

    async def leave(self):
        if self.client:
            client, self.client = self.client, None
            self.reader.ends.append(time.time())
            await client.shutdown()
        for client, change in self.forgotten.items():
            change.is_complete = await read_to_end(client)
            await client.shutdown()
        self.forgotten = {}

    def disconnected(self, lost, *_):
        self.lost_at = time.time()
        self.reader.ends.append(self.lost_at)
        lost.set()

    def received(self, client, chat):
        # An app ignores messages that arrive after it has left the room.
        if client is self.client:
            self.receipts.append(self.receipt(chat, "socket", time.time()))
        elif client in self.forgotten:
            self.forgotten[client].unread.add(message_id(chat))

    def receipt(self, chat, source, now):
        self.cursor = max(self.cursor, chat["createdAt"])
        return Receipt(message_id(chat), chat["content"], source, now)


def message_id(chat):
    return int(chat.get("chat_id") or chat.get("dm_id"))


def stop_reading(client):
    """Leaves a WebSocket half-open: the gateway's packets stay in the buffers of the kernel. A poll goes on unread."""
    if transport := transport_of(client):
        transport.pause_reading()
        # Its app never answers again, not even when the buffers are read for the record.
        receive = client.eio._receive_packet

        async def receive_without_answer(each):
            if each.packet_type != packet.PING:
                await receive(each)

        client.eio._receive_packet = receive_without_answer


async def read_to_end(client):
    """Reads everything that a forgotten socket was sent. Returns whether its connection lasted so long."""
    refused = asyncio.Event()
    client.on("connect_error", lambda *_: refused.set(), namespace=NO_ROOM)
    if transport := transport_of(client):
        transport.resume_reading()
    try:
        await client._send_packet(client.packet_class(socketio.packet.CONNECT, namespace=NO_ROOM))
        await asyncio.wait_for(refused.wait(), DRAIN_TIMEOUT)
    except (asyncio.TimeoutError, OSError):
        return False
    return True


def transport_of(client):
    """The connection of a client's WebSocket; None for a client that polls or has lost its connection."""
    response = getattr(client.eio.ws, "_response", None)
    connection = response and response.connection
    transport = connection and connection.transport
    return transport if transport and not transport.is_closing() else None
