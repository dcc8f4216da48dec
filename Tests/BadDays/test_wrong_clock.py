"""The clock of the services is an hour ahead and is set right: people keep writing, in order, and are present."""

import time
from datetime import datetime

import pytest
from app import App
from waiting import eventually


@pytest.fixture
def clock(product):
    """Sets the clock of the services to some seconds ahead."""
    yield product.clock.set
    product.clock.set(0)


def moment(message):
    return datetime.fromisoformat(message["createdAt"].replace("Z", "+00:00")).timestamp()


def renew(app):
    """Gets a new access token, as an app does that is told E05."""
    app.token = app.call("GET", "/auth/refresh", "Access", headers={"RefreshToken": app.refresh})["accessToken"]


@pytest.mark.parametrize("key", ["native", "gen-2024-07"])
def test_a_room_goes_on_after_a_clock_that_was_an_hour_ahead(product, clock, key):
    writer, reader = App.joined(product, key), App.joined(product, key)
    channel = writer.make_channel(writer.make_workspace(reader), None, reader)
    writer.say(channel, "before")
    clock(3600)
    renew(writer)
    ahead = writer.say(channel, "ahead")
    assert moment(ahead) > time.time() + 3000
    clock(0)
    # The token of the wrong time is good, and messages stay in order.
    after = writer.say(channel, "after")
    assert moment(ahead) < moment(after) < moment(ahead) + 60
    assert [each["content"] for each in reader.history(channel)] == ["before", "ahead", "after"]
    # A shipped app asks for the messages after the newest one that it knows.
    assert [each["content"] for each in reader.history(channel, ahead["createdAt"])][-1:] == ["after"]


def test_a_gateway_whose_clock_is_an_hour_ahead_takes_no_other_one_for_dead(product, clock):
    def newest():
        """The time of the newest sign of life of a loop of the gateway, in seconds."""
        found = product.redis("ZREVRANGE", "online-loops", "0", "0", "WITHSCORES")
        return float(found[1]) / 1000 if len(found) == 2 else 0

    clock(3600)
    begin = time.time()
    eventually(lambda: newest() > begin, 60)
    # By its own clock it would remove the signs of life of all gateways with the right time.
    assert newest() < time.time() + 60
