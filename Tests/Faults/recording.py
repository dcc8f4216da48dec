"""The recording of a run: the calls, replies and received messages of all clients, and the content of the stores at its end."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Send:
    """A message as its author sent it, including all retries with the same client_id."""

    room: str
    author: int
    content: str
    client_id: str | None = None
    # The message's id in each successful reply; empty if there was none.
    acknowledged: tuple[int, ...] = ()
    began: float = 0
    ended: float = 0


@dataclass(frozen=True)
class Row:
    """A message in the database; `at` is its time in seconds."""

    room: str
    seq: int
    id: int
    author: int
    content: str
    client_id: str | None = None
    at: float = 0
    # The revision of its last change; 0 if it has not changed.
    rev: int = 0


@dataclass(frozen=True)
class Receipt:
    """A message that an app added to its list, from a history reply or from the socket."""

    id: int
    content: str
    source: str
    at: float = 0


@dataclass
class Change:
    """A change of network: an app stopped reading a socket, and opened another one while the gateway still held the first."""

    # When the app stopped reading, and when its next socket had joined.
    began: float
    joined: float
    # The messages that the first socket was sent and the app did not show.
    unread: set[int] = field(default_factory=set)
    # Whether `unread` has all of them: the first socket was still open, and was read to its end, when the app left.
    is_complete: bool = False


@dataclass
class Reader:
    """An app in one room, with its received messages in the order of its list."""

    name: str
    room: str
    # Whether a repeated message breaks the app.
    fatal: bool
    receipts: list[Receipt] = field(default_factory=list)
    # Times at which a connection broke and the app reconnected without reading the history.
    losses: list[float] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    # Times at which a connection ended, because it broke or because the app left.
    ends: list[float] = field(default_factory=list)
    # Entries into the room: from, until history and socket were ready.
    entries: list[tuple[float, float]] = field(default_factory=list)
    # Entries with the socket first and a history that took longer than the gateway waits: from, until.
    slow_entries: list[tuple[float, float]] = field(default_factory=list)


@dataclass
class NativeReader:
    """A native device in one room, with its cursors there."""

    name: str
    room: str
    # The end of the messages and of the changes that it holds.
    seq: int = 0
    rev: int = 0
    receipts: list[Receipt] = field(default_factory=list)
    # The seq of each receipt, in their order.
    order: list[int] = field(default_factory=list)
    # The newest revision of each message that it was told of.
    revs: dict[int, int] = field(default_factory=dict)
    # The revision that it named for each connection, and the revisions of the changes that it was told of, in their order.
    connections: list[int] = field(default_factory=list)
    told: list[int] = field(default_factory=list)
    loads: int = 0

    def message(self, message, source, now):
        """A message from the socket, or from a page of history that fills a gap."""
        seq = message["seq"]
        self.receipts.append(Receipt(int(message.get("chat_id") or message.get("dm_id")), message["content"], source, now))
        if source == "socket":
            self.order.append(seq)
        self.seq = max(self.seq, seq)
        self.loaded(message)

    def changed(self, message):
        self.told.append(message["rev"])
        self.rev = max(self.rev, message["rev"])
        self.loaded(message)

    def gap(self, gap):
        self.loads += 1
        self.seq = max(self.seq, gap["to"])
        self.rev = max(self.rev, gap.get("toRev", 0))

    def loaded(self, message):
        self.revs[message["seq"]] = max(self.revs.get(message["seq"], 0), message["rev"])


@dataclass(frozen=True)
class Push:
    """A push that the provider accepted."""

    device: str
    collapse: str
    text: str


@dataclass(frozen=True)
class Device:
    """A device of a member of rooms without a socket."""

    token: str
    user: int
    rooms: frozenset[str]


@dataclass(frozen=True)
class Stop:
    """The end of a process that was told to stop: its exit status and the time it took."""

    name: str
    status: int
    seconds: float


@dataclass
class Recording:
    began: float = 0
    sends: list[Send] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    readers: list[Reader] = field(default_factory=list)
    native_readers: list[NativeReader] = field(default_factory=list)
    # Acknowledged changes of messages: room, seq and revision.
    changes: list[tuple[str, int, int]] = field(default_factory=list)
    # Events that no native client should have been sent.
    surprises: list[str] = field(default_factory=list)
    pushes: list[Push] = field(default_factory=list)
    devices: list[Device] = field(default_factory=list)
    # The user of each known device.
    owners: dict[str, int] = field(default_factory=dict)
    stops: list[Stop] = field(default_factory=list)
    # Times in which no process reached Redis: from, until.
    outages: list[tuple[float, float]] = field(default_factory=list)
    # Times in which Redis could lose or miss session cursors: from, until.
    cursor_gaps: list[tuple[float, float]] = field(default_factory=list)
    # Calls without a good reply: from, until, and the failure. Faults cause some; a roll must not.
    failures: list[tuple[float, float, str]] = field(default_factory=list)
    # Successful reads of a history: from, until.
    reads: list[tuple[float, float]] = field(default_factory=list)
    # Times at which connections between gateway and apps were reset, so that bytes in flight were lost.
    disruptions: list[float] = field(default_factory=list)
    # Times in which the machine stood still: from, until.
    stalls: list[tuple[float, float]] = field(default_factory=list)
