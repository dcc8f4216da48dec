import EventLoop

/// Reads the head of the owner's reply to a handshake, and leaves the following bytes to the next handler.
///
/// - Note: Confined to its socket's loop.
final class TunnelOpening: StreamHandler {
    /// A reply's status, and its fields by their names in lower case.
    typealias Head = (status: Int, fields: [String: String])

    private var bytes: [UInt8] = []
    private var isSettled = false
    private var reply: Head?
    private var waiter: CheckedContinuation<Head?, Never>?
    private var deadline: LoopTimer?

    private static let longestHead = 16_384

    init(timeout: Duration, on socket: StreamSocket) {
        deadline = socket.loop.schedule(after: timeout) { [weak self] in self?.settle(nil) }
    }

    /// The head; nil if the connection ends before.
    func head() async -> Head? {
        if isSettled { return reply }
        return await withCheckedContinuation { waiter = $0 }
    }

    func received(_ new: RawSpan) -> Int {
        guard !isSettled else { return 0 }
        var consumed = 0
        new.withUnsafeBytes { new in
            while consumed < new.count, !isSettled {
                bytes.append(new[consumed])
                consumed += 1
                if bytes.suffix(4) == [13, 10, 13, 10] { settle(Self.parse(bytes)) }
                if bytes.count > Self.longestHead { settle(nil) }
            }
        }
        return consumed
    }

    func endOfInput() { settle(nil) }
    func drained() {}
    func closed(_ end: StreamSocket.End) { settle(nil) }

    private func settle(_ head: Head?) {
        guard !isSettled else { return }
        isSettled = true
        reply = head
        deadline?.cancel()
        waiter?.resume(returning: head)
        waiter = nil
    }

    private static func parse(_ bytes: [UInt8]) -> Head? {
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
        guard let words = lines.first?.split(separator: " "), words.count >= 2, let status = Int(words[1]) else {
            return nil
        }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { fields[parts[0].lowercased()] = String(parts[1].drop { $0 == " " }) }
        }
        return (status, fields)
    }
}
