"""Native clients of the `/me` socket: they resume from their cursors, and record messages and changes room by room."""

import asyncio
import time

import aiohttp
import socketio
from clients import Client, stop_reading
from recording import NativeReader, Receipt, Send

# A client that is further behind loads the rest by HTTP, in pages of this size.
PAGE = 100
EMOJI = ("👍", "🎉", "😀", "🚀", "🙏", "👀")


class MeWatcher(Client):
    """A device with one socket for all rooms. It names its cursors whenever it connects, so it may miss nothing and be told of
    nothing twice. Sometimes its user goes offline for a while; sometimes it opens a socket while the old one is half-open.
    """

    def __init__(self, app, http, recording, rooms, transports):
        super().__init__(app, http, recording)
        self.transports = transports
        self.rooms = {str(room): room for room in rooms}
        self.readers = {key: NativeReader(f"{app.key} {app.id} on /me", key) for key in self.rooms}
        recording.native_readers.extend(self.readers.values())
        self.client, self.lost, self.forgotten, self.loads = None, asyncio.Event(), [], []
        self.count = {"connects": 0, "losses": 0, "changes": 0, "gaps": 0}

    async def run(self, until, rng):
        self.rng = rng
        while not until.is_set():
            await self.connect()
            stay = asyncio.create_task(self.lost.wait()), asyncio.create_task(until.wait())
            await asyncio.wait(stay, timeout=rng.uniform(4, 20), return_when=asyncio.FIRST_COMPLETED)
            for each in stay:
                each.cancel()
            if until.is_set():
                break
            if self.lost.is_set():
                self.count["losses"] += 1
            elif rng.random() < 0.5:
                self.count["changes"] += 1
                stop_reading(self.client)
                self.forgotten.append(self.client)
                self.client = None
                continue
            await self.leave()
            await asyncio.sleep(rng.uniform(0, 3))
        await self.leave()
        await self.connect()

    async def connect(self):
        while True:
            cursors = {key: [each.seq, each.rev] for key, each in self.readers.items()}
            for each in self.readers.values():
                each.connections.append(each.rev)
            self.client = client = socketio.AsyncClient(reconnection=False, request_timeout=8)
            self.lost = asyncio.Event()
            client.register_namespace(Listener(self, client, self.lost))
            try:
                await client.connect(
                    self.base, headers={"Cookie": self.cookie}, auth={"cursors": cursors}, namespaces=["/me"],
                    transports=self.transports, wait_timeout=60,
                )
                self.count["connects"] += 1
                return
            except (socketio.exceptions.SocketIOError, aiohttp.ClientError, asyncio.TimeoutError, ValueError, OSError):
                await close(client)
                await asyncio.sleep(self.rng.uniform(0.3, 1.5))

    async def leave(self):
        for client in [self.client, *self.forgotten]:
            if client:
                await close(client)
        self.client, self.forgotten = None, []

    def heard(self, client, name, data):
        # A half-open socket is read no more.
        if client is not self.client:
            return
        if name == "message":
            self.readers[data["room"]].message(data["message"], "socket", time.time())
        elif name == "changed":
            self.readers[data["room"]].changed(data["message"])
        elif name == "gap":
            self.count["gaps"] += 1
            reader = self.readers[data["room"]]
            # Live goes on meanwhile, so the client's place in the room is after the gap.
            reader.gap(data)
            self.loads.append(asyncio.create_task(self.load(reader, data)))
        elif name in ("left", "sessionEnded"):
            self.recording.surprises.append(f"{self.app.id} was told {name} {data}")

    async def load(self, reader, gap):
        path, after = self.rooms[reader.room].path(self.app), gap["from"] - 1
        while after < gap["to"]:
            status, body = await self.call("GET", f"{path}?after_seq={after}&limit={PAGE}&threads=inline")
            if status == 200 and body:
                now = time.time()
                for each in body:
                    if after < each["seq"] <= gap["to"]:
                        reader.message(each, "history", now)
                after = body[-1]["seq"]
            else:
                await asyncio.sleep(0.3)
        rev = gap.get("afterRev")
        while rev is not None:
            status, body = await self.call("GET", f"{path.removesuffix('/chats')}/changes?after_rev={rev}&limit=500")
            if status != 200:
                await asyncio.sleep(0.3)
                continue
            for each in body["items"]:
                reader.loaded(each)
            rev = None if body["complete"] else body["rev"]

    def has_newest(self, heads):
        return all(heads.get(key, 0) <= each.seq for key, each in self.readers.items()) and all(each.done() for each in self.loads)


class MeWriter(MeWatcher):
    """A device that also sends over its socket. It repeats a send with its `client_id` until it is acknowledged."""

    def __init__(self, *arguments, pause, **more):
        super().__init__(*arguments, **more)
        self.pause, self.sent = pause, 0

    async def run(self, until, rng):
        writing = asyncio.create_task(self.write(until))
        await super().run(until, rng)
        await writing

    async def write(self, until):
        rooms = list(self.rooms)
        while not until.is_set():
            await self.say(rooms[self.sent % len(rooms)])
            await asyncio.sleep(self.pause)

    async def say(self, room):
        self.sent += 1
        name, content = f"me {self.app.id} {self.sent}", f"{self.app.key} {self.app.id} says {self.sent} on /me"
        message = {"room": room, "content": content, "client_id": name}
        began, ids, end = time.time(), [], time.time() + 120
        while time.time() < end:
            reply = await self.ask("send", message)
            if reply and "message" in reply:
                ids.append(int(reply["message"]["chat_id"] if "chat_id" in reply["message"] else reply["message"]["dm_id"]))
            # Sometimes a send is repeated as if its acknowledgement had been lost.
            if ids and (self.sent % 10 or len(ids) > 1):
                break
            await asyncio.sleep(0 if ids else 0.3)
        self.recording.sends.append(Send(room, int(self.app.id), content, name, tuple(ids), began, time.time()))

    async def ask(self, event, argument):
        client = self.client
        if client is None:
            return None
        try:
            return await client.call(event, argument, namespace="/me", timeout=8)
        except (socketio.exceptions.SocketIOError, aiohttp.ClientError, asyncio.TimeoutError, ValueError, OSError):
            return None


class Reactor(Client):
    """Changes messages: it adds reactions to those that it has written, and takes some away again."""

    def __init__(self, app, http, recording, room, pause):
        super().__init__(app, http, recording)
        self.room, self.pause, self.number = room, pause, 0

    async def run(self, until, rng):
        while not until.is_set():
            await asyncio.sleep(self.pause * rng.uniform(0.3, 1.7))
            head = await self.head()
            if head:
                self.number += 1
                seq, emoji = rng.randint(max(1, head - 20), head), EMOJI[self.number % len(EMOJI)]
                await self.change(rng.choice(("PUT", "PUT", "DELETE")), seq, emoji)

    async def head(self):
        status, body = await self.call("GET", f"{self.room.path(self.app)}?before_seq={1 << 50}&limit=1")
        return body[-1]["seq"] if status == 200 and body else 0

    async def change(self, method, seq, emoji):
        status, body = await self.call(method, f"{self.room.path(self.app)}/{seq}/reactions/{emoji}")
        if status == 200 and isinstance(body, dict) and "rev" in body:
            self.recording.changes.append((str(self.room), body["seq"], body["rev"]))


class Listener(socketio.AsyncClientNamespace):
    """Hands on the events of `/me` in the order in which they arrive."""

    def __init__(self, watcher, client, lost):
        super().__init__("/me")
        self.watcher, self.socket, self.lost = watcher, client, lost

    async def trigger_event(self, event, *arguments):
        if event == "disconnect":
            self.lost.set()
        elif event not in ("connect", "connect_error"):
            self.watcher.heard(self.socket, event, arguments[0] if arguments else None)


async def close(client):
    await client.shutdown()
    # The library does not close this session.
    if client.eio.http:
        await client.eio.http.close()
