"""The checker finds what it is there to find: every history here that is wrong is refused, and for the right reason."""

import copy

import pytest
from checker import check
from recording import Device, Push, Reader, Recording, Row, Send, Sight, Stop

ROOM = "channel-7"


def good():
    """Three messages, one of them sent under a name and asked twice; two readers; a device that is away."""
    recording = Recording()
    recording.sends = [
        Send(ROOM, 1, "a", None, (101,), 10, 10.1),
        Send(ROOM, 1, "b", "name-b", (102, 102), 11, 11.1),
        Send(ROOM, 2, "c", None, (), 12, 12.1),
        Send(ROOM, 2, "d", None, (), 13, 13.1),
    ]
    recording.rows = [
        Row(ROOM, 1, 101, 1, "a", None, 10.05),
        Row(ROOM, 2, 102, 1, "b", "name-b", 11.05),
        Row(ROOM, 3, 103, 2, "c", None, 12.05),
    ]
    sights = [Sight(101, "a", "history"), Sight(102, "b", "socket"), Sight(103, "c", "socket")]
    recording.readers = [Reader("fatal", ROOM, True, list(sights)), Reader("harmless", ROOM, False, list(sights))]
    recording.devices = [Device("away", 2, frozenset([ROOM]))]
    recording.owners = {"away": 2}
    recording.pushes = [Push("away", f"{ROOM}:1", "a"), Push("away", f"{ROOM}:2", "b"), Push("away", f"{ROOM}:2", "b")]
    recording.stops = [Stop("gateway", 0, 5.0)]
    recording.outages = [(9.9, 12.0)]
    recording.reads = [(10.0, 10.2)]
    return recording


def problems(recording):
    return {promise.split()[0]: found for promise, found in check(recording).items() if found}


def test_a_good_history_is_accepted():
    assert problems(good()) == {}


def refused(promise, reason, spoil):
    recording = copy.deepcopy(good())
    spoil(recording)
    found = problems(recording).get(promise, [])
    assert any(reason in each for each in found), problems(recording)


def replaced(rows, number, **changes):
    rows[number] = type(rows[number])(**{**rows[number].__dict__, **changes})


@pytest.mark.parametrize(
    "promise, reason, spoil",
    [
        ("R1", "lost: ", lambda r: r.rows.pop(0)),
        ("R1", "changed: ", lambda r: replaced(r.rows, 0, content="z")),
        ("R1", "changed: ", lambda r: replaced(r.rows, 0, author=2)),
        ("R1", "invented: ", lambda r: r.rows.append(Row(ROOM, 4, 104, 1, "z"))),
        ("R1", "doubled: ", lambda r: r.rows.append(Row(ROOM, 4, 104, 1, "a"))),
        # Nobody was told that it was written, and yet it must not be there twice.
        ("R1", "doubled: ", lambda r: r.rows.append(Row(ROOM, 4, 104, 2, "c"))),
        ("R2", "gap: ", lambda r: replaced(r.rows, 2, seq=4)),
        ("R2", "gap: ", lambda r: replaced(r.rows, 1, seq=3)),
        ("R2", "gap: ", lambda r: replaced(r.rows, 0, seq=0)),
        ("R2", "time: ", lambda r: replaced(r.rows, 1, at=10.0505)),
        ("R4", "doubled: ", lambda r: r.rows.append(Row(ROOM, 4, 104, 1, "b", "name-b"))),
        ("R4", "doubled: ", lambda r: replaced(r.sends, 1, acknowledged=(102, 103))),
        ("R4", "refused: ", lambda r: replaced(r.sends, 1, acknowledged=())),
        ("R4", "not named: ", lambda r: replaced(r.rows, 1, client_id=None)),
        ("R9", "status 1", lambda r: r.stops.append(Stop("gateway", 1, 2))),
        ("R9", "took", lambda r: r.stops.append(Stop("gateway", 0, 31))),
        ("R11", "no send", lambda r: r.outages.append((20, 23))),
        ("R11", "no history", lambda r: r.reads.clear()),
        ("R12", "lost: ", lambda r: r.pushes.pop(0)),
        ("R12", "invented: ", lambda r: r.pushes.append(Push("away", f"{ROOM}:9", "a"))),
        ("R12", "changed: ", lambda r: r.pushes.append(Push("away", f"{ROOM}:1", "b"))),
        ("R12", "echo: ", lambda r: r.pushes.append(Push("away", f"{ROOM}:3", "c"))),
        ("R12", "invented: ", lambda r: r.pushes.append(Push("away", f"{ROOM}:1:again", "a"))),
    ],
)
def test_a_history_of_stores_that_breaks_a_promise_is_refused(promise, reason, spoil):
    refused(promise, reason, spoil)


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize(
    "reason, spoil",
    [
        ("lost: 2", lambda sights: sights.pop(1)),
        ("lost: 1", lambda sights: sights.pop(0)),
        ("lost: 3", lambda sights: sights.pop()),
        ("out of order: 2", lambda sights: sights.append(sights.pop(1))),
        ("invented: 9", lambda sights: sights.append(Sight(9, "z", "socket"))),
    ],
)
def test_what_no_reader_may_see_is_refused(number, reason, spoil):
    refused("R3", reason, lambda recording: spoil(recording.readers[number].sights))


def test_a_message_seen_twice_is_refused_where_that_is_fatal():
    refused("R3", "doubled: 2", lambda recording: recording.readers[0].sights.append(Sight(102, "b", "history")))


@pytest.mark.parametrize(
    "second",
    # Brought by the socket before or behind that time; told by another history; brought twice.
    [Sight(102, "b", "history", 14), Sight(102, "b", "history", 11), Sight(102, "b", "socket", 12)],
)
def test_a_slow_history_excuses_only_what_the_socket_brought_while_it_was_on_its_way(second):
    def spoil(recording):
        reader = recording.readers[0]
        reader.sights[1] = Sight(102, "b", "socket", 11.5)
        reader.sights.append(second)
        reader.slow_entries = [(11, 13)]

    refused("R3", "doubled: 2", spoil)


def test_a_slow_history_does_not_excuse_what_the_socket_brought_well_behind_it():
    def spoil(recording):
        reader = recording.readers[0]
        reader.sights[1] = Sight(102, "b", "socket", 13.2)
        reader.sights.append(Sight(102, "b", "history", 13))
        reader.slow_entries = [(11, 13)]

    refused("R3", "doubled: 2", spoil)


@pytest.mark.parametrize("brought", [11.5, 13.05])
def test_what_the_socket_brought_while_the_history_took_too_long_may_be_in_both(brought):
    recording = good()
    reader = recording.readers[0]
    reader.sights[1] = Sight(102, "b", "socket", brought)
    reader.sights.append(Sight(102, "b", "history", 13))
    reader.slow_entries = [(11, 13)]
    assert problems(recording) == {}


def twice_where_harmless(second, ends=(), entries=(), forgetting=()):
    """The second message, seen at 12, is seen again."""

    def spoil(recording):
        reader = recording.readers[1]
        reader.sights[1] = Sight(102, "b", "socket", 12)
        reader.sights.append(Sight(102, "b", "socket", second))
        reader.ends, reader.entries = list(ends), list(entries)
        recording.forgetting = list(forgetting)

    return spoil


@pytest.mark.parametrize(
    "spoil",
    [
        # Again behind the end of a connection, or by history and socket of an entry behind one.
        twice_where_harmless(15, ends=[13]),
        twice_where_harmless(12.1, ends=[10], entries=[(11.9, 12.2)]),
        # While Redis was away.
        twice_where_harmless(15, forgetting=[(11, 13)]),
    ],
)
def test_a_message_seen_twice_for_a_reason_is_accepted_where_that_is_harmless(spoil):
    recording = good()
    spoil(recording)
    assert problems(recording) == {}


@pytest.mark.parametrize(
    "spoil",
    [
        twice_where_harmless(15),
        # Ends before and behind both.
        twice_where_harmless(15, ends=[11, 16]),
        # An entry that no end precedes, and one that was over.
        twice_where_harmless(12.1, entries=[(11.9, 12.2)]),
        twice_where_harmless(15, ends=[10], entries=[(11.9, 12.2)]),
        twice_where_harmless(15, forgetting=[(9, 11), (16, 17)]),
    ],
)
def test_a_message_seen_twice_for_no_reason_is_refused_where_that_is_harmless(spoil):
    refused("R3", "harmless in channel-7: doubled: 2", spoil)


def breaking_off(disruption, loss):
    """The second message was on its way to both readers; who saw it is another question."""

    def spoil(recording):
        recording.disruptions = [disruption]
        for reader in recording.readers:
            del reader.sights[1]
            reader.losses = [loss]

    return spoil


def test_what_was_on_its_way_when_a_connection_was_broken_off_is_in_doubt_where_twice_is_fatal():
    recording = good()
    breaking_off(11.2, 11.3)(recording)
    assert problems(recording) == {"R3": ["harmless in channel-7: lost: 2 of 11.05 was never seen"]}


@pytest.mark.parametrize(
    "disruption, loss",
    # Long before or behind the loss; and a loss without a disruption, as when a gateway drains.
    [(15.0, 15.1), (9.0, 9.1), (5.0, 11.3)],
)
def test_nothing_else_is_in_doubt(disruption, loss):
    refused("R3", "fatal in channel-7: lost: 2", breaking_off(disruption, loss))


def test_a_short_outage_in_which_nobody_sent_says_nothing():
    recording = good()
    recording.outages.append((20, 21))
    assert problems(recording) == {}
