"""Holds `socketio-conformance` against python-socketio: python clients.py PORT

Runs with the 5.x line (Engine.IO 4) and with the 4.x line (Engine.IO 3), over polling, WebSocket, and polling that
upgrades. Ends with 0 when everything comes back.
"""

import sys
import threading

import socketio

URL = f"http://127.0.0.1:{sys.argv[1]}"


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
            assert self.changed.wait_for(lambda: wanted in self.events, 5), str((wanted, self.events))[:300]


def run(transports, large):
    client = socketio.Client(reconnection=False)
    seen = Recorder()
    for namespace in ("/", "/custom"):
        client.on("auth", lambda *args, n=namespace: seen.note("auth", n), namespace=namespace)
        client.on("message-back", lambda *args, n=namespace: seen.note("back", n, args), namespace=namespace)
    client.connect(URL, transports=transports, namespaces=["/", "/custom"])
    for namespace in ("/", "/custom"):
        seen.wait(("auth", namespace))
        for arguments in ((1, "2", {"3": [True]}), ("한글 😀", None), (b"\x00\x01", {"inner": b"\xff" * 10}), (large,)):
            client.emit("message", arguments, namespace=namespace)
            seen.wait(("back", namespace, arguments))
            assert client.call("message-with-ack", arguments, namespace=namespace, timeout=5) == (
                arguments if len(arguments) > 1 else arguments[0]
            )
    # Longer than ping interval and time-out: only heartbeats keep it open.
    client.sleep(1.5)
    assert client.connected
    client.emit("message", "still", namespace="/custom")
    seen.wait(("back", "/custom", ("still",)))
    transport = client.transport()
    client.disconnect()
    assert not client.connected
    return transport


def refused():
    client = socketio.Client(reconnection=False)
    try:
        client.connect(URL, namespaces=["/unknown"])
        client.sleep(0.2)
        assert "/unknown" not in getattr(client, "namespaces", {}), client.namespaces
    except socketio.exceptions.ConnectionError as error:
        assert "refused" in str(error) or "Invalid" in str(error) or "failed" in str(error), error
    finally:
        client.disconnect()


assert run(["polling"], "x" * 5000) == "polling"
assert run(["websocket"], "x" * 500000) == "websocket"
assert run(None, "x" * 5000) == "websocket"
refused()
print("all clients are content")
