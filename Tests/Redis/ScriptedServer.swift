import EventLoop
import Synchronization

/// A server that answers each read with the next of its lines, for replies that a real Redis does not give.
final class ScriptedServer: Sendable {
    /// Handles the bytes that arrived on a connection.
    typealias Answer = @Sendable (_ connection: Int, _ input: String) -> String

    let port: UInt16
    private let connections = Mutex(0)
    private let listener: Listener

    /// Listens on `loop`; call it there.
    init(on loop: EventLoop, answer: @escaping Answer) throws {
        let accept = Box<(Int32, SocketAddress) -> Void>()
        listener = try Listener(on: loop, address: SocketAddress(ip: "127.0.0.1", port: 0)!) { accept.value?($0, $1) }
        port = listener.address.port
        accept.value = { [unowned self] descriptor, peer in
            let number = connections.withLock { count in
                count += 1
                return count
            }
            let socket = StreamSocket(descriptor: descriptor, peer: peer, on: loop)
            socket.start(Conversation(socket, number, answer))
        }
        listener.start()
    }

    /// The number of connections so far.
    var count: Int { connections.withLock(\.self) }

    func stop() { listener.stop() }

    private final class Box<Value> { var value: Value? }

    private final class Conversation: StreamHandler {
        private let socket: StreamSocket
        private let number: Int
        private let answer: Answer

        init(_ socket: StreamSocket, _ number: Int, _ answer: @escaping Answer) {
            self.socket = socket
            self.number = number
            self.answer = answer
        }

        func received(_ bytes: RawSpan) -> Int {
            let input = bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
            socket.write(Array(answer(number, input).utf8))
            return bytes.byteCount
        }

        func endOfInput() { socket.close() }
        func drained() {}
        func closed(_ end: StreamSocket.End) {}
    }
}
