"""deploy/roll replaces every service under load: no call fails, and no message is lost or doubled."""

import collections
import functools
import http.client
import itertools
import json
import pathlib
import subprocess
import sys
import threading
import time
import urllib.parse

import pytest

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "Tests/Conformance"))

import socketio
from app import App
from events_in_order import handle_in_order
from product import Product
from waiting import Stalls, eventually, patiently, stalled

pytestmark = pytest.mark.timeout(patiently(600))
# Statements and internal calls have time-outs of three to five seconds. A machine that stood still for longer than this within a
# call, in seconds, may have made it time out.
LONG_STALL = 1


class Caller(threading.Thread):
    """Makes one call after the other on one kept-alive connection, and never repeats a failed one."""

    def __init__(self, product, app, calls):
        super().__init__(daemon=True)
        self.address = ("127.0.0.1", product.port)
        self.headers = {"SesacKey": app.key, "Authorization": app.token}
        self.calls = calls
        self.answered = collections.Counter()
        self.sent, self.failed = [], []
        # Calls that were to be repeated later: from, until, the content of a message, which may be stored, and the failure.
        self.postponed = []
        self.is_over = threading.Event()
        self.start()

    def run(self):
        connection = http.client.HTTPConnection(*self.address, timeout=patiently(30))
        for method, path, content in self.calls:
            if self.is_over.is_set():
                return
            body = content and urllib.parse.urlencode({"content": content})
            headers = self.headers | ({"Content-Type": "application/x-www-form-urlencoded"} if body else {})
            began = time.time()
            try:
                connection.request(method, "/v1" + path, body, headers)
                reply = connection.getresponse()
                text = reply.read()
            except (OSError, http.client.HTTPException) as error:
                self.failed.append(f"{method} {path}: {error!r}")
                connection.close()
                continue
            failure = f"{method} {path}: {reply.status} {text[:200]}"
            if reply.status == 503 and reply.getheader("Retry-After"):
                self.postponed.append((began, time.time(), content, failure))
            elif reply.status not in (200, 201):
                self.failed.append(failure)
            else:
                self.answered[path.split("?")[0]] += 1
                if content:
                    self.sent.append(content)
            self.is_over.wait(0.002)


@pytest.fixture(scope="module")
def product():
    with Product(CHECKOUT) as running:
        yield running


def test_no_call_fails_and_no_message_is_lost_or_doubled_while_every_service_is_replaced(product):
    # The listener reads no history meanwhile, because its socket would leave out messages that a reply has shown.
    writer, reader, listener = (App.joined(product, key) for key in ("native", "native", "collabee"))
    workspace = writer.make_workspace()
    channel = writer.make_channel(workspace, "rolling")
    for each in (reader, listener):
        writer.post(f"/workspaces/{workspace}/members", {"email": each.email})
    chats = f"/workspaces/{workspace}/channels/{channel.id}/chats"
    listener.history(channel)

    stalls, heard = Stalls(), []
    namespace = f"/ws-channel-{channel.id}"
    socket = socketio.Client(reconnection_delay=0.1, reconnection_delay_max=0.5, request_timeout=patiently(30))
    handle_in_order(socket)
    # The library's own limit for a join is a second, also when it connects again.
    socket.connect = functools.partial(socket.connect, wait_timeout=patiently(30))
    socket.on("channel", lambda chat: heard.append(chat["content"]), namespace=namespace)
    socket.connect(product.base, headers={"Cookie": listener.cookie}, transports=["websocket"], namespaces=[namespace])

    reads = ["/users/me", "/workspaces", chats, f"/workspaces/{workspace}/dms", "/store/item/list"]
    contents = iter(itertools.count().__next__, None)
    callers = [Caller(product, writer, (("POST", chats, str(count)) for count in contents)) for _ in range(3)]
    callers += [Caller(product, reader, (("GET", path, None) for path in itertools.cycle(reads))) for _ in range(2)]

    command = [CHECKOUT / "deploy/roll", "--data", product.data]
    ready_within = str(round(patiently(60)))
    environment = {"PATH": "/usr/bin:/bin", "MARU_PROGRAMS": str(CHECKOUT / ".build/debug"), "MARU_ROLL_SECONDS": ready_within}
    result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=patiently(300))
    for each in callers:
        each.is_over.set()
        each.join(patiently(60))

    def excused(span):
        return stalled(*span, stalls.found) > LONG_STALL

    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.count("replaced") == 5
    postponed = [each for caller in callers for each in caller.postponed]
    assert [failure for *span, _, failure in postponed if not excused(span)] == []
    assert [each.failed for each in callers] == [[]] * len(callers)
    assert all(callers[3].answered[path] > 0 for path in reads)

    sent = collections.Counter(content for each in callers for content in each.sent)
    doubtful = collections.Counter(content for *span, content, _ in postponed if content and excused(span))
    stored = json.loads(messages(product, channel.id))
    assert sent <= collections.Counter(stored) <= sent + doubtful
    eventually(lambda: heard[-1:] == stored[-1:])
    assert heard == stored
    socket.disconnect()


def messages(product, room):
    url = (product.data / "secrets/chat/database_url").read_text()
    query = f"select json_agg(content order by seq) from message where kind = 1 and room = {room}"
    return subprocess.run(["psql", "-XAtc", query, url], capture_output=True, text=True, check=True, timeout=patiently(60)).stdout
