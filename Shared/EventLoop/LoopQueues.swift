/// The work that waits for a loop, besides events of sockets and timers.
struct LoopQueues {
    /// Parts of Swift tasks.
    var jobs = RunQueue<UnownedJob>()
    var callbacks = RunQueue<@Sendable () -> Void>()
    /// Work for the end of the turn.
    var endOfTurn = RunQueue<() -> Void>()

    var isEmpty: Bool { jobs.isEmpty && callbacks.isEmpty && endOfTurn.isEmpty }
}

/// The sockets of a loop that have something to do in this turn or the next one.
struct LoopStreams {
    /// Sockets with output, to be flushed together at the end of this turn.
    var dirty = RunQueue<Unmanaged<StreamSocket>>()
    /// Sockets that continue in the next turn, after the other sockets.
    var waiting: [StreamSocket] = []
}

/// The channels that a loop watches.
struct LoopChannels {
    private var watched: [ObjectIdentifier: Channel] = [:]
    /// Channels that were removed in this turn; events that epoll has already reported may still name them.
    private var removed: [Channel] = []

    var all: [Channel] { Array(watched.values) }

    mutating func add(_ channel: Channel) { watched[ObjectIdentifier(channel)] = channel }

    mutating func remove(_ channel: Channel) {
        watched[ObjectIdentifier(channel)] = nil
        removed.append(channel)
    }

    /// Releases the channels that were removed in this turn.
    mutating func endTurn() { removed.removeAll(keepingCapacity: true) }
}

/// The two buffers that the sockets of a loop share. Their content is valid within one callback only.
struct LoopBuffers: ~Copyable {
    /// Sockets read into it.
    let input = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
    /// Sockets gather their output in it; apart from `input`, because a handler may flush while it reads its input.
    let output = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)

    static let size = 128 * 1024

    deinit {
        input.deallocate()
        output.deallocate()
    }
}
