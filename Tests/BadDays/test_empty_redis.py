"""Redis comes back empty: sessions and sockets stay, and messages arrive once."""

import os
import subprocess

import pytest
from app import App
from sockets import Sockets
from waiting import eventually


def empty(product):
    """Removes everything from Redis, and ends it. deploy/up starts it again."""
    port = dict(line.split("=") for line in (product.data / "ports").read_text().split())["redis_port"]
    password = (product.data / "secrets/redis/password").read_text().strip()
    client = ["redis-cli", "-p", port]
    environment = {**os.environ, "REDISCLI_AUTH": password}
    process = (product.data / "run/redis.pid").read_text()
    subprocess.run([*client, "FLUSHALL"], env=environment, check=True, capture_output=True)
    subprocess.run([*client, "SHUTDOWN", "NOSAVE"], env=environment, capture_output=True)
    eventually(lambda: (product.data / "run/redis.pid").read_text() != process, 60)
    eventually(lambda: b"PONG" in subprocess.run([*client, "PING"], env=environment, capture_output=True).stdout, 60)


@pytest.mark.parametrize("key", ["native", "gen-2024-07"])
def test_people_go_on_after_redis_has_lost_everything(product, key):
    writer, reader = App.joined(product, key), App.joined(product, key)
    channel = writer.make_channel(writer.make_workspace(reader), None, reader)
    with Sockets(product) as sockets:
        assert sockets.open("reader", f"/ws-channel-{channel.id}", cookie=reader.cookie)
        writer.say(channel, "before")
        sockets.await_contents("reader", ["before"])
        empty(product)
        writer.say(channel, "after")
        sockets.wait(lambda: "after" in sockets.contents("reader"), 60)
        assert sockets.contents("reader") == ["before", "after"]
    assert [each["content"] for each in reader.history(channel)] == ["before", "after"]
