import Glibc
import Synchronization
import Telemetry
import Wire

/// A log that writes into a pipe, and the lines read from it.
final class LogLines: Sendable {
    let output: LogOutput
    private let ends: (read: Int32, write: Int32)
    /// The start of an incomplete line.
    private let rest = Mutex<[UInt8]>([])

    init(limit: Int = 1 << 20) {
        var ends: [Int32] = [0, 0]
        precondition(pipe(&ends) == 0)
        self.ends = (ends[0], ends[1])
        output = LogOutput(descriptor: ends[1], limit: limit)
    }

    deinit {
        close(ends.read)
        close(ends.write)
    }

    func log(level: LogLevel = .debug) -> Log { Log(service: "test-service", level: level, to: output) }

    /// Writes into the pipe until it is full.
    func fillPipe() -> Int {
        let flags = fcntl(ends.write, F_GETFL)
        _ = fcntl(ends.write, F_SETFL, flags | O_NONBLOCK)
        defer { _ = fcntl(ends.write, F_SETFL, flags) }
        let blank = [UInt8](repeating: 10, count: 4096)
        var total = 0
        while case let count = write(ends.write, blank, blank.count), count > 0 { total += count }
        return total
    }

    /// All lines so far, without empty ones.
    func read() async -> [String] {
        await output.flush()
        return readAvailable()
    }

    /// The complete lines in the pipe, without empty ones.
    func readAvailable() -> [String] {
        rest.withLock { rest in
            rest += readBytes()
            let end = rest.lastIndex(of: 10).map { $0 + 1 } ?? 0
            defer { rest.removeFirst(end) }
            return String(decoding: rest[..<end], as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }

    private func readBytes() -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        var ready = pollfd(fd: ends.read, events: Int16(POLLIN), revents: 0)
        while poll(&ready, 1, 0) == 1 {
            let count = Glibc.read(ends.read, &chunk, chunk.count)
            bytes += chunk[..<max(0, count)]
        }
        return bytes
    }
}
