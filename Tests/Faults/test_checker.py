"""The checker refuses each wrong recording for the right reason and accepts the good ones."""

import copy

import pytest
from checker import IN_FLIGHT, LATEST_DELIVERY, LONGEST_DRAIN, check
from recording import Change, Device, NativeReader, Push, Reader, Receipt, Recording, Row, Send, Stop

ROOM = "channel-7"


def good():
    """Three messages, one of them sent twice with a client_id, two readers and the device of an absent user."""
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
        Row(ROOM, 3, 103, 2, "c", None, 12.05, 2),
    ]
    native = NativeReader("native", ROOM)
    for seq, id in ((1, 101), (2, 102), (3, 103)):
        native.message({"seq": seq, "rev": 0, "chat_id": str(id), "content": "…"}, "socket", 0)
    for rev in (1, 2):
        native.changed({"seq": 3, "rev": rev})
    recording.native_readers = [native]
    recording.changes = [(ROOM, 3, 2)]
    receipts = [Receipt(101, "a", "history"), Receipt(102, "b", "socket"), Receipt(103, "c", "socket")]
    recording.readers = [Reader("fatal", ROOM, True, list(receipts)), Reader("harmless", ROOM, False, list(receipts))]
    recording.devices = [Device("away", 2, frozenset([ROOM]))]
    recording.owners = {"away": 2}
    recording.pushes = [Push("away", f"{ROOM}:1", "a"), Push("away", f"{ROOM}:2", "b"), Push("away", f"{ROOM}:2", "b")]
    recording.stops = [Stop("gateway", 0, 5.0)]
    recording.outages = [(9.9, 12.0)]
    recording.reads = [(10.0, 10.2)]
    return recording


def problems(recording):
    return {promise.split()[0]: found for promise, found in check(recording).items() if found}


def test_a_good_recording_is_accepted():
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
        ("R13", "lost: ", lambda r: r.native_readers[0].receipts.pop(0)),
        ("R13", "doubled: ", lambda r: r.native_readers[0].receipts.append(r.native_readers[0].receipts[0])),
        ("R13", "invented: ", lambda r: r.native_readers[0].receipts.append(Receipt(9, "", "socket"))),
        ("R13", "out of order: message", lambda r: r.native_readers[0].order.reverse()),
        ("R13", "out of order: change", lambda r: r.native_readers[0].told.append(2)),
        ("R13", "stale: ", lambda r: r.native_readers[0].revs.update({3: 1})),
        ("R13", "told left", lambda r: r.surprises.append("7 was told left")),
        ("R14", "lost: ", lambda r: r.changes.append((ROOM, 2, 1))),
        ("R1", "changed: ", lambda r: replaced(r.rows, 0, author=2)),
        ("R1", "invented: ", lambda r: r.rows.append(Row(ROOM, 4, 104, 1, "z"))),
        ("R1", "doubled: ", lambda r: r.rows.append(Row(ROOM, 4, 104, 1, "a"))),
        # It was never acknowledged, but it must not exist twice.
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
        ("R9", "took", lambda r: r.stops.append(Stop("gateway", 0, LONGEST_DRAIN + 1))),
        ("R11", "no send", lambda r: r.outages.append((20, 23))),
        ("R11", "no history", lambda r: r.reads.clear()),
        ("R12", "lost: ", lambda r: r.pushes.pop(0)),
        ("R12", "invented: ", lambda r: r.pushes.append(Push("away", f"{ROOM}:9", "a"))),
        ("R12", "changed: ", lambda r: r.pushes.append(Push("away", f"{ROOM}:1", "b"))),
        ("R12", "echo: ", lambda r: r.pushes.append(Push("away", f"{ROOM}:3", "c"))),
        ("R12", "invented: ", lambda r: r.pushes.append(Push("away", f"{ROOM}:1:again", "a"))),
    ],
)
def test_stores_that_break_a_promise_are_refused(promise, reason, spoil):
    refused(promise, reason, spoil)


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize(
    "reason, spoil",
    [
        ("lost: 2", lambda receipts: receipts.pop(1)),
        ("lost: 1", lambda receipts: receipts.pop(0)),
        ("lost: 3", lambda receipts: receipts.pop()),
        ("out of order: 2", lambda receipts: receipts.append(receipts.pop(1))),
        ("invented: 9", lambda receipts: receipts.append(Receipt(9, "z", "socket"))),
    ],
)
def test_lost_reordered_and_invented_messages_are_refused(number, reason, spoil):
    refused("R3", reason, lambda recording: spoil(recording.readers[number].receipts))


def test_a_repeated_message_is_refused_if_that_is_fatal():
    refused("R3", "doubled: 2", lambda recording: recording.readers[0].receipts.append(Receipt(102, "b", "history")))


@pytest.mark.parametrize(
    "second",
    # Received from the history after or before the slow one, or twice from the socket.
    [Receipt(102, "b", "history", 14), Receipt(102, "b", "history", 11), Receipt(102, "b", "socket", 12)],
)
def test_a_slow_history_excuses_only_messages_that_the_socket_received_meanwhile(second):
    def spoil(recording):
        reader = recording.readers[0]
        reader.receipts[1] = Receipt(102, "b", "socket", 11.5)
        reader.receipts.append(second)
        reader.slow_entries = [(11, 13)]

    refused("R3", "doubled: 2", spoil)


def test_a_slow_history_does_not_excuse_a_message_that_the_socket_received_well_after_it():
    def spoil(recording):
        reader = recording.readers[0]
        reader.receipts[1] = Receipt(102, "b", "socket", 13 + 2 * IN_FLIGHT)
        reader.receipts.append(Receipt(102, "b", "history", 13))
        reader.slow_entries = [(11, 13)]

    refused("R3", "doubled: 2", spoil)


@pytest.mark.parametrize("received", [11.5, 13.05])
def test_a_message_that_the_socket_received_during_a_slow_history_may_be_in_both(received):
    recording = good()
    reader = recording.readers[0]
    reader.receipts[1] = Receipt(102, "b", "socket", received)
    reader.receipts.append(Receipt(102, "b", "history", 13))
    reader.slow_entries = [(11, 13)]
    assert problems(recording) == {}


def repeated_if_harmless(second, ends=(), entries=(), cursor_gaps=()):
    """The second message is received at 12 and again at `second`."""

    def spoil(recording):
        reader = recording.readers[1]
        reader.receipts[1] = Receipt(102, "b", "socket", 12)
        reader.receipts.append(Receipt(102, "b", "socket", second))
        reader.ends, reader.entries = list(ends), list(entries)
        recording.cursor_gaps = list(cursor_gaps)

    return spoil


@pytest.mark.parametrize(
    "spoil",
    [
        # Again after the end of a connection, or from history and socket of the entry after one.
        repeated_if_harmless(15, ends=[13]),
        repeated_if_harmless(12.1, ends=[10], entries=[(11.9, 12.2)]),
        # During an outage of Redis.
        repeated_if_harmless(15, cursor_gaps=[(11, 13)]),
    ],
)
def test_a_repeated_message_with_a_reason_is_accepted_if_that_is_harmless(spoil):
    recording = good()
    spoil(recording)
    assert problems(recording) == {}


@pytest.mark.parametrize(
    "spoil",
    [
        repeated_if_harmless(15),
        # Connections that ended before and after both.
        repeated_if_harmless(15, ends=[11, 16]),
        # An entry without an earlier end of a connection, and one that was over.
        repeated_if_harmless(12.1, entries=[(11.9, 12.2)]),
        repeated_if_harmless(15, ends=[10], entries=[(11.9, 12.2)]),
        repeated_if_harmless(15, cursor_gaps=[(9, 11), (16, 17)]),
    ],
)
def test_a_repeated_message_without_a_reason_is_refused_even_if_that_is_harmless(spoil):
    refused("R3", "harmless in channel-7: doubled: 2", spoil)


def reset_at(disruption, loss):
    """The second message was in flight to both readers, and neither received it."""

    def spoil(recording):
        recording.disruptions = [disruption]
        for reader in recording.readers:
            del reader.receipts[1]
            reader.losses = [loss]

    return spoil


def test_a_message_in_flight_on_a_reset_connection_may_be_lost_if_a_repeat_is_fatal():
    recording = good()
    reset_at(11.2, 11.3)(recording)
    found = problems(recording)
    assert list(found) == ["R3"] and len(found["R3"]) == 1
    assert found["R3"][0].startswith("harmless in channel-7: lost: 2 of 11.05 was never seen")


@pytest.mark.parametrize(
    "disruption, loss",
    # Long before or after the loss, and a loss without a disruption, as in a drain.
    [(15.0, 15.1), (9.0, 9.1), (5.0, 11.3)],
)
def test_no_other_message_may_be_lost(disruption, loss):
    refused("R3", "fatal in channel-7: lost: 2", reset_at(disruption, loss))


def network_changed(*change):
    """Neither reader received the second message, and both had opened a second socket."""

    def spoil(recording):
        for reader in recording.readers:
            del reader.receipts[1]
            reader.changes = [Change(*change)]

    return spoil


@pytest.mark.parametrize(
    "change",
    # The first socket was sent it, or broke before it was read to its end.
    [(10.9, 11.2, {102}, True), (10.9, 11.2, {102}, False), (10.9, 11.2, set(), False)],
)
def test_a_message_sent_before_the_second_sockets_join_may_be_lost_with_the_first_if_a_repeat_is_fatal(change):
    recording = good()
    network_changed(*change)(recording)
    found = problems(recording)
    assert list(found) == ["R3"] and len(found["R3"]) == 1
    assert found["R3"][0].startswith("harmless in channel-7: lost: 2 of 11.05 was never seen")


@pytest.mark.parametrize(
    "change",
    # The second socket had joined before, or the first one was not sent it either.
    [(10.7, 11.04, {102}, True), (10.7, 11.04, {102}, False), (10.9, 11.2, {101}, True)],
)
def test_a_message_that_only_the_second_socket_was_to_be_sent_may_not_be_lost(change):
    refused("R3", "fatal in channel-7: lost: 2", network_changed(*change))


def test_a_short_outage_without_a_send_is_not_checked():
    recording = good()
    recording.outages.append((20, 21))
    assert problems(recording) == {}


def lost_around(sent, disruption, loss):
    """The second message was sent at `sent`, and neither reader received it; both lost their connections."""

    def spoil(recording):
        reset_at(disruption, loss)(recording)
        replaced(recording.rows, 1, at=sent)

    return spoil


def changed_long_after(recording):
    """The second message may have reached the first socket only if the machine stood still after the acknowledgement at 11.1."""
    began = 11.1 + LATEST_DELIVERY + 1
    network_changed(began, began + 1, set(), False)(recording)


def repeated_after_a_slow_history(recording):
    reader = recording.readers[0]
    reader.receipts[1] = Receipt(102, "b", "history", 13)
    reader.receipts.append(Receipt(102, "b", "socket", 15))
    reader.slow_entries = [(11, 13)]


# Each with the spans in which the machine stands still, and the beginning of the only problem that is left.
STOOD_STILL = [
    # The commit is long before the loss, the loss long before the commit, and the disruption long before the loss.
    (lost_around(11.05, 14.2, 14.3), [(11.1, 14.1)], "harmless in channel-7: lost: 2"),
    (lost_around(14.4, 11.2, 11.3), [(11.35, 14.35)], "harmless in channel-7: lost: 2"),
    (lost_around(14.2, 11.2, 14.3), [(11.2, 14.1)], "harmless in channel-7: lost: 2"),
    # In two parts, of which only a part is within the span.
    (changed_long_after, [(10, 11.6), (17, 18)], "harmless in channel-7: lost: 2"),
    (repeated_after_a_slow_history, [(13.01, 15)], None),
    (repeated_if_harmless(14.9, ends=[10], entries=[(11.9, 12.2)]), [(12.4, 14.9)], None),
]


@pytest.mark.parametrize("spoil, stalls, left", STOOD_STILL)
def test_a_machine_that_stood_still_excuses_a_late_message(spoil, stalls, left):
    recording = good()
    spoil(recording)
    recording.stalls = stalls
    found = problems(recording)
    assert [each[: len(left or "")] for each in found.get("R3", [])] == ([left] if left else []), found


@pytest.mark.parametrize("spoil, left", [(spoil, left) for spoil, _, left in STOOD_STILL])
@pytest.mark.parametrize("stalls", [[], [(1, 9), (30, 40)]])
def test_a_standstill_at_another_time_excuses_nothing(spoil, left, stalls):
    recording = good()
    spoil(recording)
    recording.stalls = stalls
    assert len(problems(recording)["R3"]) == (2 if left else 1)
