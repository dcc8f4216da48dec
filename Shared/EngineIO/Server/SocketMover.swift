internal import EventLoop

/// Holds a connection until the end of the turn, when the reply to its request is out, and then sends it to another
/// loop.
final class SocketMover: StreamHandler {
    init(_ socket: StreamSocket, to destination: @escaping (MovingConnection) -> Void) {
        socket.loop.executeAtEndOfTurn {
            socket.flush()
            // The head of a reply fits into the send buffer of a connection that has sent nothing else.
            if let moving = socket.moveAway() { destination(moving) } else { socket.close() }
        }
    }

    func received(_ bytes: RawSpan) -> Int { 0 }
    func endOfInput() {}
    func drained() {}
    func closed(_ end: StreamSocket.End) {}
}
