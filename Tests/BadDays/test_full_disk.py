"""The disk of Postgres is full: sends are refused until there is space again, and everything can be read."""

import secrets
import subprocess

import pytest
from app import App
from waiting import eventually


@pytest.fixture(params=["native", "gen-2024-07"])
def party(product, request):
    writer, reader = (App.joined(product, request.param, name) for name in ("글쓴이", "읽는이"))
    channel = writer.make_channel(writer.make_workspace(reader), None, reader)
    writer.say(channel, "before")
    yield writer, reader, channel
    product.free_disk()


def fill_pages(product):
    """Fills the free space of the pages that a reader's marker would go to."""
    rows = "insert into read_position (user_id, kind, room, seq) select n, 1, n, 1 from generate_series(-100000, -1) as n"
    with pytest.raises(subprocess.CalledProcessError):
        product.sql("chat", rows)


def refusal(writer, channel):
    """The reply to the first send that is refused, and the accepted ones before it."""
    accepted = []
    for _ in range(200):
        text = secrets.token_hex(4000)
        parts = [("content", (None, text))]
        reply = writer.send("POST", f"{writer.path(channel)}/chats", files=parts)
        if reply.status_code >= 400:
            return reply, accepted
        accepted.append(text)
    raise AssertionError("the disk is not full")


def test_sends_wait_for_space_and_history_can_be_read(product, party):
    writer, reader, channel = party
    product.fill_disk()
    refused, accepted = refusal(writer, channel)
    assert refused.json()["errorCode"] == "E99"
    assert int(refused.headers["Retry-After"]) >= 1
    fill_pages(product)
    for person in (reader, writer):
        assert [each["content"] for each in person.history(channel)] == ["before", *accepted]
    # The operator is told the cause.
    eventually(lambda: "53100" in product.log("chat-service"))
    assert 'maru_failures_total{code="E99"}' in product.metrics(2)
    product.free_disk()
    eventually(lambda: writer.send("POST", f"{writer.path(channel)}/chats", files=[("content", (None, "after"))]).ok, 60)
    found = reader.history(channel)
    assert [each["content"] for each in found] == ["before", *accepted, "after"]
    assert [each["seq"] for each in found] == list(range(1, len(found) + 1))
