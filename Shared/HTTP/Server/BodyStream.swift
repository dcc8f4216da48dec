internal import EventLoop

/// The bytes of a body between the connection, which adds them, and the handler, which takes them.
///
/// - Note: `@unchecked Sendable` because it is confined to the loop of its connection: the connection calls it there,
///   and `next` asserts it.
final class BodyStream: @unchecked Sendable {
    let declaredLength: Int?
    /// Decoded bytes that wait for the reader.
    var buffer: [UInt8] = []
    private let loop: EventLoop
    private let reader: LoopWaiter
    private weak var connection: ServerConnection?
    private var end: Result<Void, BodyError>?

    init(declaredLength: Int?, loop: EventLoop, connection: ServerConnection) {
        self.declaredLength = declaredLength
        self.loop = loop
        self.connection = connection
        reader = LoopWaiter(loop: loop)
    }

    /// The buffer has got more bytes.
    func grew() {
        if !buffer.isEmpty { reader.wake() }
    }

    /// Ends the body: the reader gets the buffered bytes, then the end or the error.
    func finish(_ end: Result<Void, BodyError>) {
        guard self.end == nil else { return }
        self.end = end
        reader.wake()
    }

    /// Waits for the next piece; nil at the end.
    func next() async throws(BodyError) -> [UInt8]? {
        loop.preconditionInLoop()
        while buffer.isEmpty {
            if let end {
                try end.get()
                return nil
            }
            guard !reader.isTaken else { throw .alreadyRead }
            connection?.bodyIsWanted()
            if buffer.isEmpty && end == nil {
                await reader.wait()
                if Task.isCancelled && buffer.isEmpty && end == nil { throw .disconnected }
            }
        }
        var piece: [UInt8] = []
        swap(&piece, &buffer)
        connection?.bodyWasTaken()
        return piece
    }
}
