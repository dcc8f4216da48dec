"""A device of a native user: one `/me` socket of python-socketio, with its events in order."""

import asyncio
import threading

import reference
import socketio
from waiting import patiently


class Device:
    """Connects and records. `events` are (name, argument) in the order in which they arrived."""

    def __init__(self, product, cookie=None, bearer=None, token=None, cursors=None, transports=None, deflate=False):
        self.events = []
        self.reference, self.faults = reference.sockets(product.base), []
        self.refusal = None
        self.is_closed = False
        self.changed = threading.Condition()
        headers = {key: value for key, value in {"Cookie": cookie, "Authorization": bearer}.items() if value}
        auth = {key: value for key, value in {"token": token, "cursors": cursors}.items() if value is not None}
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        options = {"compress": 15} if deflate else {}
        self.run(self.connect(product.base, headers, auth or None, transports, options))

    def run(self, work):
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(patiently(60))

    async def connect(self, base, headers, auth, transports, options):
        self.client = socketio.AsyncClient(
            reconnection=False, request_timeout=patiently(30), websocket_extra_options=options
        )
        self.client.register_namespace(Recorder(self))
        try:
            await self.client.connect(
                base, headers=headers, auth=auth, transports=transports, namespaces=["/me"], wait_timeout=patiently(30)
            )
        except socketio.exceptions.ConnectionError as error:
            self.refusal = self.refusal or str(error)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.run(self.client.disconnect())
        self.loop.call_soon_threadsafe(self.loop.stop)
        assert not self.faults, "\n".join(self.faults)

    def hold(self, message, argument):
        try:
            self.reference.hold("me", message, argument)
        except AssertionError as fault:
            self.faults.append(str(fault))

    def note(self, name, argument):
        self.hold(name, argument)
        with self.changed:
            self.events.append((name, argument))
            self.changed.notify_all()

    def close(self):
        with self.changed:
            self.is_closed = True
            self.changed.notify_all()

    # Reading

    def of(self, name):
        return [argument for event, argument in list(self.events) if event == name]

    def wait(self, condition, patience=30):
        with self.changed:
            assert self.changed.wait_for(condition, patiently(patience)), self.events

    def first(self, name, fits=lambda argument: True):
        """Waits for an event and returns its argument."""
        self.wait(lambda: any(fits(each) for each in self.of(name)))
        return next(each for each in self.of(name) if fits(each))

    @property
    def ready(self):
        return self.first("ready")

    def room(self, key):
        """The room as `ready` has it."""
        return next(each for each in self.ready["rooms"] if each["room"] == key)

    def messages(self, room):
        return [each["message"] for each in self.of("message") if each["room"] == room]

    def ask(self, name, argument, patience=30):
        """Sends an event and returns its acknowledgement."""
        answer = self.run(self.client.call(name, argument, namespace="/me", timeout=patiently(patience)))
        if not (isinstance(answer, dict) and "errorCode" in answer):
            self.hold(f"{name}Call", argument)
        if answer is not None and f"{name}Call" in self.reference.channels["me"]["messages"]:
            self.hold(f"{name}Reply", answer)
        return answer

    def tell(self, name, argument):
        """Sends an event without asking for an acknowledgement."""
        self.run(self.client.emit(name, argument, namespace="/me"))


class Recorder(socketio.AsyncClientNamespace):
    def __init__(self, device):
        super().__init__("/me")
        self.device = device

    async def trigger_event(self, event, *arguments):
        if event == "connect_error":
            self.device.refusal = arguments[0]["message"] if arguments else "refused"
        elif event == "disconnect":
            self.device.close()
        elif event != "connect" and not event.startswith("__"):
            self.device.note(event, arguments[0] if arguments else None)
