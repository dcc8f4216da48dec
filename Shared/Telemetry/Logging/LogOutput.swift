internal import CSystem
internal import EventLoop
internal import Glibc
internal import Synchronization

/// The destination of a process's log lines: a descriptor that a separate thread writes to, so that no loop waits for
/// the reader.
///
/// At most `limit` bytes wait. Further lines are dropped and counted, and a line reports the number as soon as there is
/// space. So are lines that cannot be written, as on a full disk: a later line tries again.
public final class LogOutput: Sendable {
    private struct State {
        var waiting: [UInt8] = []
        /// Whether the thread has been woken for waiting lines.
        var isWriting = false
        var dropped: UInt64 = 0
        var unreported: UInt64 = 0
        /// The number in the report that is being written.
        var reporting: UInt64 = 0
        /// Whether the last write failed. Then nothing is written until there is another line.
        var hasFailed = false
        /// Whether the descriptor got a part of a line that was dropped.
        var isTorn = false
        var flushes: [UnsafeContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    private let descriptor: Int32
    private let limit: Int
    private let thread = BlockingPool(threads: 1, limit: 1, name: "log")

    /// Lines within this time of each other leave in one write, which limits the wake-ups of the thread.
    private static let gatheringMicroseconds: UInt32 = 5_000

    /// Writes to an open descriptor, which it does not close; 1 is standard output.
    public init(descriptor: Int32 = 1, limit: Int = 4 * 1024 * 1024) {
        self.descriptor = descriptor
        self.limit = limit
    }

    deinit { thread.stop() }

    /// The number of dropped lines since the start.
    public var dropped: UInt64 { state.withLock(\.dropped) }

    /// Returns when all earlier lines have been written; waits as long as the reader takes.
    public func flush() async {
        await withUnsafeContinuation { continuation in
            let isWriting = state.withLock { state in
                if state.isWriting { state.flushes.append(continuation) }
                return state.isWriting
            }
            if !isWriting { continuation.resume() }
        }
    }

    /// Queues one line, without its line end.
    func write(_ line: consuming [UInt8]) {
        let wakes = state.withLock { state in
            guard state.waiting.count + line.count < limit else {
                state.dropped += 1
                state.unreported += 1
                return false
            }
            state.waiting += line
            state.waiting.append(UInt8(ascii: "\n"))
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if wakes { _ = thread.submit { [self] in writeAll() } }
    }

    private func writeAll() {
        usleep(Self.gatheringMicroseconds)
        var bytes: [UInt8] = []
        while takeWaiting(&bytes) { wrote(writeOut(bytes), of: bytes) }
    }

    /// Records the result of a write: counts the lines of `bytes` that were not written whole.
    private func wrote(_ count: Int, of bytes: [UInt8]) {
        state.withLock { state in
            state.hasFailed = count < bytes.count
            if state.hasFailed {
                // The end of a torn line comes first, and the report last.
                let others = (count == 0 && state.isTorn ? 1 : 0) + (state.reporting > 0 ? 1 : 0)
                let lines = UInt64(bytes[count...].count { $0 == UInt8(ascii: "\n") } - others)
                state.dropped += lines
                state.unreported += lines + state.reporting
            }
            if count > 0 { state.isTorn = bytes[count - 1] != UInt8(ascii: "\n") }
            state.reporting = 0
        }
    }

    /// Swaps the waiting bytes with `bytes`, which is empty; returns false if nothing waits.
    private func takeWaiting(_ bytes: inout [UInt8]) -> Bool {
        bytes.removeAll(keepingCapacity: bytes.capacity <= 65_536)
        let done = state.withLock { state -> [UnsafeContinuation<Void, Never>]? in
            if state.waiting.isEmpty && (state.unreported == 0 || state.hasFailed) {
                state.isWriting = false
                defer { state.flushes = [] }
                return state.flushes
            }
            swap(&bytes, &state.waiting)
            if state.unreported > 0 {
                bytes += Self.report(dropped: state.unreported)
                (state.reporting, state.unreported) = (state.unreported, 0)
            }
            // The next line begins a line of its own.
            if state.isTorn { bytes.insert(UInt8(ascii: "\n"), at: 0) }
            return nil
        }
        for flush in done ?? [] { flush.resume() }
        return done == nil
    }

    private static func report(dropped count: UInt64) -> [UInt8] {
        Array(#"{"level":"warning","message":"lines of the log were dropped","count":\#(count)}"#.utf8) + [10]
    }

    /// Returns how many bytes were written: all, unless a write failed.
    private func writeOut(_ bytes: [UInt8]) -> Int {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if errno == EAGAIN {
                    var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    poll(&ready, 1, -1)
                } else if errno != EINTR {
                    // The reader has closed the pipe, or the disk is full.
                    break
                }
            }
            return bytes.count - rest.count
        }
    }
}
