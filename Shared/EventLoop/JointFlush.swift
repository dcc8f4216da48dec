internal import CSystem
internal import Glibc

/// The streams that have something to send at the end of a turn.
///
/// Many are flushed step by step: what each gives, all sends, what came of each. A send empties the
/// caches of all that is ours; done one stream after the other, each would wait for its memory twice,
/// and for the page tables that lead there.
struct JointFlush {
    /// What a stream gives to the kernel, and what came of it.
    struct Sending {
        let descriptor: Int32
        let bytes: [UInt8]
        let offset: Int
        /// Bytes that the kernel has taken, or the negative errno.
        var outcome = 0

        init(descriptor: Int32, bytes: [UInt8], offset: Int) {
            self.descriptor = descriptor
            self.bytes = bytes
            self.offset = offset
        }

        mutating func perform() {
            let count = bytes.withUnsafeBytes { cs_send(descriptor, $0.baseAddress! + offset, $0.count - offset) }
            outcome = count < 0 ? -Int(errno) : count
        }
    }

    /// Retained: where they lie can be told without looking at them.
    private var streams: [Unmanaged<StreamSocket>] = []
    private var sendings: [Sending?] = []

    /// So few stay in the caches.
    private static let few = 16
    /// How many streams ahead memory is fetched.
    private static let foresight = 12

    var isEmpty: Bool { streams.isEmpty }

    /// Lets a stream flush with the others.
    mutating func add(_ stream: StreamSocket) { streams.append(.passRetained(stream)) }

    /// Flushes all, and is empty then.
    mutating func run() {
        if streams.count <= Self.few {
            for stream in streams {
                stream._withUnsafeGuaranteedRef { $0.flushAtEndOfTick() }
                stream.release()
            }
        } else {
            begin()
            for index in sendings.indices { sendings[index]?.perform() }
            for (stream, outcome) in takeDown() {
                stream._withUnsafeGuaranteedRef { outcome < 0 ? $0.refused(Int32(-outcome)) : $0.flush() }
                stream.release()
            }
        }
        streams.removeAll(keepingCapacity: true)
        sendings.removeAll(keepingCapacity: true)
    }

    private mutating func begin() {
        for index in streams.indices {
            lookAhead(from: index)
            sendings.append(streams[index]._withUnsafeGuaranteedRef { $0.beginFlush() })
        }
    }

    /// Notes what was sent, before anybody is told anything: who is told may write to another stream, or close it.
    ///
    /// - Returns: the streams that are not done with that, and what their sends came to.
    private func takeDown() -> [(stream: Unmanaged<StreamSocket>, outcome: Int)] {
        var left: [(Unmanaged<StreamSocket>, Int)] = []
        for (index, stream) in streams.enumerated() {
            lookAhead(from: index)
            let outcome = sendings[index]?.outcome ?? 0
            if outcome > 0, stream._withUnsafeGuaranteedRef({ $0.takeDown(outcome) }) {
                stream.release()
            } else {
                left.append((stream, outcome))
            }
        }
        return left
    }

    private func lookAhead(from index: Int) {
        guard index + Self.foresight < streams.count else { return }
        MemoryHint(streams[index + Self.foresight]).fetch(StreamSocket.writtenSize)
    }
}
