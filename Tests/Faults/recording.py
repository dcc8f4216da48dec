"""What a run leaves behind: everything that clients asked, were told and saw, and what the stores hold at its end."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Send:
    """A message as its author sent it; tried again under the same client_id as often as it took."""

    room: str
    author: int
    content: str
    client_id: str | None = None
    # The message's id by each reply that said so; empty where none did.
    acknowledged: tuple[int, ...] = ()
    began: float = 0
    ended: float = 0


@dataclass(frozen=True)
class Row:
    """A message as the database has it; `at` is its time in seconds."""

    room: str
    seq: int
    id: int
    author: int
    content: str
    client_id: str | None = None
    at: float = 0


@dataclass(frozen=True)
class Sight:
    """A message that an app took into its list, from a history reply or from the socket."""

    id: int
    content: str
    source: str
    at: float = 0


@dataclass
class Reader:
    """An app in one room: what it took in, in the order of its list."""

    name: str
    room: str
    # Whether the app breaks when it gets a message twice.
    fatal: bool
    sights: list[Sight] = field(default_factory=list)
    # When a connection broke after which the app only connected again, and fetched nothing.
    losses: list[float] = field(default_factory=list)
    # When a connection of its ended, broken or because it left.
    ends: list[float] = field(default_factory=list)
    # When it entered: from, until history and socket were there.
    entries: list[tuple[float, float]] = field(default_factory=list)
    # When it entered with its socket first and the history took longer than the gateway waits for it: from, until.
    slow_entries: list[tuple[float, float]] = field(default_factory=list)


@dataclass(frozen=True)
class Push:
    """A push that the provider took."""

    device: str
    collapse: str
    text: str


@dataclass(frozen=True)
class Device:
    """A device of somebody who is a member of rooms and never opens a socket."""

    token: str
    user: int
    rooms: frozenset[str]


@dataclass(frozen=True)
class Stop:
    """A process that was told to end: with which status it did, and how long it took."""

    name: str
    status: int
    seconds: float


@dataclass
class Recording:
    began: float = 0
    sends: list[Send] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    readers: list[Reader] = field(default_factory=list)
    pushes: list[Push] = field(default_factory=list)
    devices: list[Device] = field(default_factory=list)
    # All devices that are known, by their user.
    owners: dict[str, int] = field(default_factory=dict)
    stops: list[Stop] = field(default_factory=list)
    # When Redis was out of reach for all: from, until.
    outages: list[tuple[float, float]] = field(default_factory=list)
    # When Redis could forget or not be told how far a reader is: from, until.
    forgetting: list[tuple[float, float]] = field(default_factory=list)
    # When history was read successfully: from, until.
    reads: list[tuple[float, float]] = field(default_factory=list)
    # When what lies between gateway and apps was broken off, so that bytes on their way were lost.
    disruptions: list[float] = field(default_factory=list)
