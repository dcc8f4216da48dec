internal import EventLoop

/// Where a connection leaves a body's bytes and a handler takes them.
///
/// - Note: `@unchecked Sendable` because it is confined to the loop of its connection: the connection calls it there,
///   and `next` asserts it.
final class BodyStream: @unchecked Sendable {
    /// Bytes that wait for the reader at most.
    static let room = 64 * 1024

    let declaredLength: Int?
    private let loop: EventLoop
    private let reader: LoopWaiter
    private weak var connection: ServerConnection?
    private var buffer: [UInt8] = []
    private var end: Result<Void, BodyError>?

    init(declaredLength: Int?, loop: EventLoop, connection: ServerConnection) {
        self.declaredLength = declaredLength
        self.loop = loop
        self.connection = connection
        reader = LoopWaiter(loop: loop)
    }

    /// How many bytes may be added now.
    var freeRoom: Int { max(0, Self.room - buffer.count) }

    /// Lets `decoder` add what there is room for; returns how many of `bytes` it has consumed.
    func add(_ bytes: UnsafeRawBufferPointer, with decoder: inout BodyDecoder) throws(Refusal) -> Int {
        let consumed = try decoder.decode(bytes, into: &buffer, room: freeRoom)
        if !buffer.isEmpty { reader.wake() }
        return consumed
    }

    /// Ends the body; a reader gets what has come before, then the end or the error.
    func finish(_ end: Result<Void, BodyError>) {
        guard self.end == nil else { return }
        self.end = end
        reader.wake()
    }

    /// The next piece, nil at the end.
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
        connection?.bodyHasRoom()
        return piece
    }
}
