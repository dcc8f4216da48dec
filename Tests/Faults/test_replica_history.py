"""Etcd is gone, so that no node may take writes: sends wait, and history is read from replicas that have all of it."""

import contextlib
import os
import pathlib
import re
import shutil
import signal
import sys

import pytest
from lab import Lab

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "Tests/Conformance"))

from app import App
from product import Product
from waiting import eventually, patiently

pytestmark = pytest.mark.timeout(patiently(600))


class LabProduct(Product):
    def __init__(self, checkout):
        super().__init__(checkout)
        self.lab = Lab(checkout, self.folder / "lab")
        self.stopped = []

    def __enter__(self):
        self.lab.start()
        try:
            eventually(self.lab.is_whole, 60)
            return super().__enter__()
        except BaseException:
            self.lab.stop()
            raise

    def __exit__(self, *_):
        self.signal_etcd(signal.SIGCONT)
        for each in self.stopped:
            with contextlib.suppress(ProcessLookupError):
                os.kill(each, signal.SIGCONT)
        self.run("down")
        self.lab.stop()
        shutil.rmtree(self.folder)

    def run(self, command, *options):
        super().run(command, *options, *(["--postgres", self.lab.service] if command == "up" else []))

    def signal_etcd(self, number):
        os.kill(int((self.lab.data / "run/etcd.pid").read_text().split()[0]), number)

    def signal_replay(self, nodes, number):
        """Stops or continues the process of each node that replays the log. Patroni would end a pause of the replay itself."""
        for node in nodes:
            for process in self.lab.processes(node):
                # A connection that Patroni opened may be closed again, and its process gone.
                with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                    if b"startup" not in pathlib.Path(f"/proc/{process}/cmdline").read_bytes():
                        continue
                    os.kill(process, number)
                    self.stopped = [each for each in self.stopped if each != process]
                    if number == signal.SIGSTOP:
                        self.stopped.append(process)

    def metric(self, name):
        """The values of a metric of chat-service by its label."""
        found = re.findall(rf'^{name}{{\w+="([^"]*)"}} (\S+)$', self.metrics(2), re.MULTILINE)
        return {label: float(value) for label, value in found}


@pytest.fixture(scope="module")
def product():
    with LabProduct(CHECKOUT) as running:
        yield running


def test_history_goes_on_without_a_primary_unless_the_replicas_lack_a_message(product):
    named = []
    # No node may answer in time.
    eventually(lambda: named.append(product.lab.primary()) or named[-1], 60)
    primary = named[-1]
    replicas = [each for each in product.lab.nodes if each != primary]
    eventually(lambda: sum(product.metric("maru_replica_up").values()) == 3, 60)

    # Both replicas store the log, so commits are acknowledged, and show nothing of it.
    product.signal_replay(replicas, signal.SIGSTOP)
    writer, reader, shipped, gone = (
        App.joined(product, key, key) for key in ("native", "native", "gen-2024-07", "gen-2024-07")
    )
    workspace = writer.make_workspace(reader, shipped, gone)
    channel = writer.make_channel(workspace, None, reader, shipped, gone)
    dm = writer.open_dm(workspace, reader)
    writer.whisper(workspace, dm, "in the dm")
    sent = ["before"]
    writer.say(channel, "before")
    gone.get(f"{gone.path(channel)}/exit")

    def dm_history():
        return reader.send("GET", f"/workspaces/{workspace}/dms/{dm}/chats?cursor_date=")

    def history(app, query="cursor_date="):
        return app.send("GET", f"{app.path(channel)}/chats?{query}")

    def served_in_time(call, *arguments):
        """The reply of a call once it is served: each replica replays the log at its own pace."""
        replies = []

        def is_served():
            replies.append(call(*arguments))
            return replies[-1].ok

        eventually(is_served, 60)
        return replies[-1].json()

    for each in (reader, shipped):
        assert history(each).ok
    assert dm_history().ok
    # The operator is told that they lag.
    eventually(lambda: sorted(each > 0.5 for each in product.metric("maru_replica_lag_seconds").values()) == [False, True, True], 60)

    served = product.metric("maru_replica_reads_total").get("served", 0)
    product.signal_etcd(signal.SIGSTOP)
    refused = []

    def send():
        text = f"message {len(sent)}"
        reply = writer.send("POST", f"{writer.path(channel)}/chats", files=[("content", (None, text))])
        if reply.ok:
            sent.append(text)
        else:
            refused.append(reply)
        return reply.ok

    eventually(lambda: not send(), 60)
    assert refused[-1].status_code == 503 and int(refused[-1].headers["Retry-After"]) >= 1
    # All of it was seen by the reader or the writer, and no node that can be read shows it.
    for reply in (history(reader), history(shipped), dm_history()):
        assert reply.status_code in (500, 503) and "Retry-After" in reply.headers, reply.text
    refusals = product.metric("maru_replica_reads_total")
    assert refusals["behind"] > 0 and refusals.get("served", 0) == served

    product.signal_replay(replicas, signal.SIGCONT)
    # The last send may have been received before it was refused.
    found = [each["content"] for each in served_in_time(history, reader)]
    assert found[: len(sent)] == sent and len(found) <= len(sent) + 1
    head = len(found)
    assert [each["content"] for each in served_in_time(history, shipped)] == found
    assert [each["content"] for each in served_in_time(dm_history)] == ["in the dm"]
    assert [each["seq"] for each in served_in_time(history, reader, "before_seq=1000000&limit=1")] == [head]
    served_in_time(reader.send, "GET", f"{reader.path(channel)}/changes?after_rev=0")
    # A client that names a newer message or change than the replica has is refused.
    assert history(reader, f"after_seq={head + 1}").status_code == 503
    assert reader.send("GET", f"{reader.path(channel)}/changes?after_rev=1").status_code == 503
    # After leaving, a member is not shown the room: the access cannot be checked.
    assert history(gone).status_code in (400, 500)
    assert product.metric("maru_replica_reads_total")["served"] > served
    assert not send()

    product.signal_etcd(signal.SIGCONT)
    eventually(send, 60)
    assert [each["content"] for each in served_in_time(history, reader)][:head] == found
    # The marker of the history that came from a replica has arrived: only later messages are unread. There can be several, because a
    # send that is refused while the primary comes back may have been stored.
    unread = f"{shipped.path(channel)}/unreads"
    eventually(
        lambda: served_in_time(shipped.send, "GET", unread)["count"] <= len(served_in_time(history, reader)) - head, 60
    )
    eventually(lambda: all(each == 0 for each in product.metric("maru_replica_lag_seconds").values()), 60)
    log = (product.data / "logs/chat-service.log").read_text()
    assert "the primary does not answer" in log and "the primary answers" in log
