import EventLoop

/// Waits for the reply head of a handshake and leaves the following bytes to the next handler.
final class OpeningSocket: StreamHandler {
    private var bytes: [UInt8] = []
    private var outcome: Result<[UInt8], WebSocketFleet.Failed>?
    private var waiter: CheckedContinuation<[UInt8], any Error>?

    /// The head without the empty line.
    func head() async throws -> [UInt8] {
        if let outcome { return try outcome.get() }
        return try await withCheckedThrowingContinuation { waiter = $0 }
    }

    func received(_ new: RawSpan) -> Int {
        guard outcome == nil else { return 0 }
        var consumed = 0
        new.withUnsafeBytes { new in
            while consumed < new.count, outcome == nil {
                bytes.append(new[consumed])
                consumed += 1
                if bytes.suffix(4) == [13, 10, 13, 10] { settle(.success(bytes.dropLast(4))) }
            }
        }
        return consumed
    }

    func endOfInput() { settle(.failure(.init(reason: "the connection has ended"))) }
    func drained() {}
    func closed(_ end: StreamSocket.End) { settle(.failure(.init(reason: "\(end)"))) }

    private func settle(_ result: Result<[UInt8], WebSocketFleet.Failed>) {
        guard outcome == nil else { return }
        outcome = result
        waiter?.resume(with: result.mapError { $0 as any Error })
        waiter = nil
    }
}

extension Result where Success == [UInt8] {
    fileprivate static func success(_ slice: ArraySlice<UInt8>) -> Self { .success(Array(slice)) }
}
