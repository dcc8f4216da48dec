"""Checks a recording against the promises. Pure: it uses no clock, files or network."""

from collections import Counter, defaultdict

from waiting import patiently, stalled

# The times below are without those in which the machine stood still.
# A message that was sent this many seconds around a broken connection may have been in flight. Sending it again could show it
# twice.
DOUBT_BEFORE, DOUBT_AFTER = 1.0, 0.5
# A message that was sent to the socket before the history reply may arrive this many seconds after it.
IN_FLIGHT = patiently(0.1)
LONGEST_DRAIN = patiently(30)
# A message may reach the gateway this many seconds after its commit, while Redis or a process is stopped.
LATEST_DELIVERY = 8.0
# A shorter outage of Redis is not checked, because it may contain no send.
SHORTEST_OUTAGE = 2.0


def ran(begin, end, recording):
    """The seconds from `begin` to `end` without those in which the machine stood still; negative if `end` is the earlier one."""
    return end - begin - stalled(begin, end, recording.stalls)


def check(recording):
    """Returns the problems of each promise; the list is empty if the promise was kept."""
    promises = {
        "R1 every acknowledged message is in the database once": kept,
        "R2 seq is 1, 2, 3 in every room, without gap": numbered,
        "R3 every reader saw each message once and in order": seen,
        "R4 a client_id is one message": named,
        "R13 every native client ends in the state of the rooms, and was told of nothing twice": resumed,
        "R14 every acknowledged change is in the database": changed,
        "R9 a process that is told to stop drains and exits 0 within 30 s": stopped_well,
        "R11 without Redis sends commit and history can be read": worked_without_redis,
        "R12 a device gets one notification a message": notified,
    }
    return {promise: list(problems(recording)) for promise, problems in promises.items()}


def kept(recording):
    rows = {(row.room, row.id): row for row in recording.rows}
    counts = Counter((row.room, row.content) for row in recording.rows)
    for send in recording.sends:
        for id in send.acknowledged:
            row = rows.get((send.room, id))
            if row is None:
                yield f"lost: {send.room} {id} {send.content!r} was acknowledged and is missing"
            elif (row.content, row.author) != (send.content, send.author):
                yield f"changed: {send.room} {id} was sent as {send.content!r} and is {row.content!r}"
    for (room, content), count in counts.items():
        if count > 1:
            yield f"doubled: {room} {content!r} exists {count} times"
    sent = {(send.room, send.content) for send in recording.sends}
    for row in recording.rows:
        if (row.room, row.content) not in sent:
            yield f"invented: {row.room} {row.id} {row.content!r} was not sent by any client"


def numbered(recording):
    for room, rows in by_room(recording).items():
        for expected, row in enumerate(rows, 1):
            if row.seq != expected:
                yield f"gap: {room} has {row.seq} instead of {expected}"
                break
        for before, after in zip(rows, rows[1:]):
            if after.at - before.at < 0.0019:
                yield f"time: {room} {after.seq} is less than 2 ms after {before.seq}"
                break


def seen(recording):
    rooms = by_room(recording)
    for reader in recording.readers:
        for problem in seen_by(reader, rooms.get(reader.room, []), recording):
            yield f"{reader.name} in {reader.room}: {problem}"


def seen_by(reader, rows, recording):
    seqs = {row.id: row.seq for row in rows}
    receipts = defaultdict(list)
    for receipt in reader.receipts:
        receipts[receipt.id].append(receipt)
    for id, times in receipts.items():
        if id not in seqs:
            yield f"invented: {id} is not in the room"
        elif len(times) > 1 and not excused(times, reader, recording):
            how = ", ".join(f"{receipt.source} at {receipt.at - recording.began:.2f}" for receipt in times)
            yield f"doubled: {seqs[id]} was seen {len(times)} times: {how}"
    order = [seqs[id] for id in receipts if id in seqs]
    for before, after in zip(order, order[1:]):
        if after < before:
            yield f"out of order: {after} was seen after {before}"
    for row in rows:
        if row.id not in receipts and not (reader.fatal and in_doubt(row, reader, recording)):
            yield f"lost: {row.seq} of {row.at - recording.began:.2f} was never seen, {around(row, reader, recording)}"


def resumed(recording):
    rooms = by_room(recording)
    yield from recording.surprises
    for reader in recording.native_readers:
        for problem in resumed_by(reader, rooms.get(reader.room, [])):
            yield f"{reader.name} in {reader.room}: {problem}"


def resumed_by(reader, rows):
    known = {row.id: row for row in rows}
    counts = Counter(receipt.id for receipt in reader.receipts)
    for receipt in reader.receipts:
        if receipt.id not in known:
            yield f"invented: {receipt.id} is not in the room"
    for row in rows:
        if counts[row.id] != 1:
            yield f"{'lost' if not counts[row.id] else 'doubled'}: {row.seq} was seen {counts[row.id]} times"
        elif reader.revs.get(row.seq, 0) != row.rev:
            yield f"stale: {row.seq} is held at revision {reader.revs.get(row.seq, 0)} instead of {row.rev}"
    for kind, numbers in (("message", reader.order), ("change", reader.told)):
        for before, after in zip(numbers, numbers[1:]):
            if after <= before:
                yield f"out of order: {kind} {after} was told after {before}"


def changed(recording):
    rows = {(row.room, row.seq): row for row in recording.rows}
    for room, seq, rev in recording.changes:
        row = rows.get((room, seq))
        if row is None or row.rev < rev:
            yield f"lost: {room} {seq} was acknowledged at revision {rev} and is at {row and row.rev}"


def excused(times, reader, recording):
    """Whether the reader may have received a message more than once.

    A reader for which that is fatal may not, except for a slow history. Any other reader may receive it again for each
    connection that ended without a heartbeat, then from the history and the socket of the next entry, and after an outage of
    Redis.
    """
    if overlapping(times, reader, recording):
        return True
    times = sorted(receipt.at for receipt in times)
    return not reader.fatal and all(
        any(first <= end <= second for end in reader.ends)
        or any(begin <= second and first <= end for begin, end in recording.cursor_gaps)
        or any(
            end <= begin <= first and ran(done, second, recording) <= DOUBT_AFTER
            for begin, done in reader.entries for end in reader.ends
        )
        for first, second in zip(times, times[1:])
    )


def overlapping(times, reader, recording):
    """Whether the socket received it while a history reply with it took longer than the gateway waits."""
    live, history = sorted(times, key=lambda receipt: receipt.source == "history")[-2:]
    return len(times) == 2 and (live.source, history.source) == ("socket", "history") and any(
        begin <= live.at and ran(history.at, live.at, recording) <= IN_FLIGHT and history.at <= end
        for begin, end in reader.slow_entries
    )


def in_doubt(row, reader, recording):
    """Whether the message may have been in flight when the reader's connection was reset, or its network changed.

    A message that was sent after the next socket's join is never in doubt. An earlier one is in doubt only if the first
    socket was sent it. Where that is not known, because the first socket broke, the time decides: the commit lies between
    the message's time and the acknowledgement, and the gateway may have received it later and sent it to the first socket.
    """
    if any(row.at <= change.joined and was_sent(row, change, recording) for change in reader.changes):
        return True
    return any(
        ran(row.at, loss, recording) <= DOUBT_BEFORE and ran(loss, row.at, recording) <= DOUBT_AFTER
        for loss in reader.losses
        if any(at <= loss and ran(at, loss, recording) <= DOUBT_BEFORE for at in recording.disruptions)
    )


def was_sent(row, change, recording):
    """Whether the first socket of a change was, or may have been, sent a message that the app did not read."""
    if row.id in change.unread:
        return True
    return not change.is_complete and ran(acknowledged(row, recording), change.began, recording) <= LATEST_DELIVERY


def around(row, reader, recording):
    """The reader's actions around a lost message: a report shows by them whether it was in flight."""

    def span(begin, end):
        return f"{begin - recording.began:.2f}-{end - recording.began:.2f}"

    def near(begin, end):
        return begin - LATEST_DELIVERY <= row.at <= end + LATEST_DELIVERY

    sends = [send for send in recording.sends if row.id in send.acknowledged]
    parts = {
        "sent": [span(send.began, send.ended) for send in sends],
        "entered": [span(*each) for each in reader.entries if near(*each)],
        "changed its network": [
            f"{span(each.began, each.joined)} with {len(each.unread)}{'' if each.is_complete else ' or more'} unread"
            for each in reader.changes if near(each.began, each.joined)
        ],
        "lost its connection": [f"{each - recording.began:.2f}" for each in reader.losses if near(each, each)],
        "ended a connection": [f"{each - recording.began:.2f}" for each in reader.ends if near(each, each)],
        "received": [
            f"{each.source} {each.content.split()[-1]} {each.at - recording.began:.2f}"
            for each in reader.receipts if abs(each.at - row.at) < 2
        ],
    }
    return "; ".join(f"{name} {', '.join(times)}" for name, times in parts.items() if times)


def acknowledged(row, recording):
    """The time by which a message was committed."""
    return max((send.ended for send in recording.sends if row.id in send.acknowledged), default=float("inf"))


def named(recording):
    rows = defaultdict(list)
    for row in recording.rows:
        if row.client_id is not None:
            rows[row.room, row.author, row.client_id].append(row.id)
    for name, ids in rows.items():
        if len(ids) > 1:
            yield f"doubled: {name} has rows {ids}"
    for send in recording.sends:
        if send.client_id is None:
            continue
        if len(set(send.acknowledged)) > 1:
            yield f"doubled: {send.client_id} was acknowledged as {sorted(set(send.acknowledged))}"
        elif not send.acknowledged:
            yield f"refused: {send.client_id} was never acknowledged"
        elif rows.get((send.room, send.author, send.client_id), []) != [send.acknowledged[0]]:
            yield f"not named: {send.client_id} was acknowledged as {send.acknowledged[0]}, which has another client_id"


def stopped_well(recording):
    for stop in recording.stops:
        if stop.status != 0:
            yield f"{stop.name} ended with status {stop.status}"
        if stop.seconds > LONGEST_DRAIN:
            yield f"{stop.name} took {stop.seconds:.1f} s to end"


def worked_without_redis(recording):
    for begin, end in recording.outages:
        if end - begin < SHORTEST_OUTAGE:
            continue
        if not any(begin <= send.began and send.ended <= end for send in recording.sends if send.acknowledged):
            yield f"no send was acknowledged from {begin:.3f} to {end:.3f}"
        if not any(begin <= asked and replied <= end for asked, replied in recording.reads):
            yield f"no history was read from {begin:.3f} to {end:.3f}"


def notified(recording):
    rows = {f"{row.room}:{row.seq}": row for row in recording.rows}
    names = defaultdict(set)
    for push in recording.pushes:
        row = rows.get(push.collapse)
        if row is None:
            yield f"invented: {push.device} was notified of {push.collapse}, which does not exist"
            continue
        names[push.device, row.content].add(push.collapse)
        if push.text != row.content:
            yield f"changed: {push.device} was notified with {push.text!r} of {push.collapse}, which is {row.content!r}"
        if recording.owners.get(push.device) == row.author:
            yield f"echo: {push.device} was notified of {push.collapse}, a message of its own user"
    for device in recording.devices:
        for collapse, row in rows.items():
            if row.room in device.rooms and row.author != device.user and (device.token, row.content) not in names:
                yield f"lost: {device.token} was not notified of {collapse}"


def by_room(recording):
    rooms = defaultdict(list)
    for row in sorted(recording.rows, key=lambda row: (row.room, row.seq)):
        rooms[row.room].append(row)
    return rooms
