"""Drives a conformance server with a python-socketio client: python socketio_client.py PORT TRANSPORT SILENCE

Run with either line of python-socketio, each in its own process. TRANSPORT is polling, websocket, or both.
SILENCE is the number of seconds after which the server closes a connection that does not answer its pings.
"""

import inspect
import os
import sys
import threading

import socketio

PORT, TRANSPORT, SILENCE = sys.argv[1:]
PATIENCE = 20 * int(os.environ.get("MARU_PATIENCE", "1"))


class Recorder:
    def __init__(self):
        self.events = []
        self.changed = threading.Condition()

    def note(self, *event):
        with self.changed:
            self.events.append(event)
            self.changed.notify_all()

    def wait(self, wanted):
        with self.changed:
            assert self.changed.wait_for(lambda: wanted in self.events, PATIENCE), str((wanted, self.events))[:300]


client = socketio.Client(reconnection=False, request_timeout=PATIENCE)
seen = Recorder()
for namespace in ("/", "/custom"):
    client.on("auth", lambda *args, n=namespace: seen.note("auth", n), namespace=namespace)
    client.on("message-back", lambda *args, n=namespace: seen.note("back", n, args), namespace=namespace)
# The newer version waits for the namespaces, by default only for a second.
more = {"wait_timeout": PATIENCE} if "wait_timeout" in inspect.signature(client.connect).parameters else {}
client.connect(
    f"http://127.0.0.1:{PORT}",
    transports=None if TRANSPORT == "both" else [TRANSPORT],
    namespaces=["/", "/custom"],
    **more,
)
for namespace in ("/", "/custom"):
    seen.wait(("auth", namespace))
    large = "x" * (500000 if TRANSPORT == "websocket" else 5000)
    for arguments in ((1, "2", {"3": [True]}), ("한글 😀", None), (b"\x00\x01", {"inner": b"\xff" * 10}), (large,)):
        client.emit("message", arguments, namespace=namespace)
        seen.wait(("back", namespace, arguments))
        answer = client.call("message-with-ack", arguments, namespace=namespace, timeout=PATIENCE)
        assert answer == (arguments if len(arguments) > 1 else arguments[0])
# Only answers to pings keep it open that long.
client.sleep(float(SILENCE) + 1)
assert client.connected
client.emit("message", "still", namespace="/custom")
seen.wait(("back", "/custom", ("still",)))
assert client.transport() == ("polling" if TRANSPORT == "polling" else "websocket")
client.disconnect()
print("content")
