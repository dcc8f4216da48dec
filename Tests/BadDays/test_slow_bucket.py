"""The bucket of the stored files is busy or silent: files wait, are refused with a time to retry, and nothing else is."""

import threading

import pytest
from app import App
from bucket import some_bytes
from waiting import eventually


@pytest.fixture
def party(product):
    writer, reader = App.joined(product, "native"), App.joined(product, "native")
    channel = writer.make_channel(writer.make_workspace(reader), None, reader)
    yield writer, reader, channel
    product.bucket.become("well")


def upload(writer, channel, content):
    return writer.send("POST", f"{writer.path(channel)}/chats", files=[("content", (None, "file")), ("files", ("a.txt", content))])


def test_files_are_refused_while_the_bucket_is_busy_and_messages_are_not(product, party):
    writer, reader, channel = party
    content = some_bytes()
    (path,) = upload(writer, channel, content).json()["files"]
    product.bucket.become("busy")
    refused = upload(writer, channel, some_bytes())
    assert (refused.status_code, refused.json()["errorCode"]) == (503, "E99")
    assert int(refused.headers["Retry-After"]) >= 1
    writer.say(channel, "without a file")
    # A copy of a recent file is on the local disk.
    assert reader.send("GET", path).content == content
    assert [each["content"] for each in reader.history(channel)] == ["file", "without a file"]
    # The operator is told the cause.
    eventually(lambda: "s3: PUT answered 503" in product.log("chat-service"))
    failed = [line for line in product.metrics(2).splitlines() if line.startswith("maru_provider_seconds_count") and '"s3"' in line]
    assert any('outcome="failed"' in line and not line.endswith(" 0") for line in failed), failed
    product.bucket.become("well")
    assert upload(writer, channel, content).status_code == 201


def test_an_upload_waits_for_a_silent_bucket(product, party):
    writer, reader, channel = party
    product.bucket.become("silent")
    before = product.bucket.refused
    replies = []
    content = some_bytes()
    call = threading.Thread(target=lambda: replies.append(upload(writer, channel, content)))
    call.start()
    eventually(lambda: product.bucket.refused > before or not call.is_alive())
    assert call.is_alive(), replies
    writer.say(channel, "meanwhile")
    product.bucket.become("well")
    call.join()
    (path,) = replies[0].json()["files"]
    assert reader.send("GET", path).content == content
    assert [each["content"] for each in reader.history(channel)] == ["meanwhile", "file"]
