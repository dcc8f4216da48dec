internal import CSystem
internal import Glibc

/// Flushes the streams that have output at the end of a turn.
///
/// Many streams are flushed in three passes: collect the output of each, make all `send` calls, record the results. A
/// `send` call evicts the process's memory from the caches. A stream that is flushed on its own waits for its memory
/// twice, and for the page tables that lead there.
struct BatchFlush {
    /// One `send` call and its result.
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

    /// Streams that are unmanaged and retained.
    typealias Streams = [Unmanaged<StreamSocket>]

    private var sendings: [Sending?] = []

    /// Up to this number of streams stay in the caches, so they are flushed one after the other.
    private static let fewStreams = 16

    /// Flushes and releases `streams`, which are retained.
    mutating func run(_ streams: Streams) {
        if streams.count <= Self.fewStreams {
            for stream in streams {
                stream._withUnsafeGuaranteedRef { $0.flushAtEndOfTurn() }
                stream.release()
            }
        } else {
            prepare(streams)
            for index in sendings.indices { sendings[index]?.perform() }
            for (stream, outcome) in record(streams) {
                stream._withUnsafeGuaranteedRef { outcome < 0 ? $0.sendFailed(Int32(-outcome)) : $0.flush() }
                stream.release()
            }
        }
        sendings.removeAll(keepingCapacity: true)
    }

    private mutating func prepare(_ streams: Streams) {
        for index in streams.indices {
            sendings.append(streams[index]._withUnsafeGuaranteedRef { $0.prepareSend() })
        }
    }

    /// Records the results of all sends before any handler is called, because a handler may write to another stream or
    /// close it.
    ///
    /// - Returns: the streams that have more to do, with the result of their send.
    private func record(_ streams: Streams) -> [(stream: Unmanaged<StreamSocket>, outcome: Int)] {
        var unfinished: [(Unmanaged<StreamSocket>, Int)] = []
        for (index, stream) in streams.enumerated() {
            let outcome = sendings[index]?.outcome ?? 0
            if outcome > 0, stream._withUnsafeGuaranteedRef({ $0.recordSent(outcome) }) {
                stream.release()
            } else {
                unfinished.append((stream, outcome))
            }
        }
        return unfinished
    }
}
