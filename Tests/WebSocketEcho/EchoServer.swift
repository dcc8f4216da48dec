import EventLoop
import Glibc
import HTTP
import WebSocket

/// `websocket-echo PORT` serves `/echo` on 127.0.0.1: messages up to 16 MiB, with every offer of permessage-deflate.
@main
struct EchoServer {
    private static let largestMessage = 16 << 20

    static func main() throws {
        guard CommandLine.arguments.count == 2, let port = UInt16(CommandLine.arguments[1]) else {
            print("usage: websocket-echo PORT")
            exit(2)
        }
        let control = EventLoop()
        let signals = SignalSource([SIGTERM, SIGINT]) { _ in control.stop() }
        signals.start(on: control)
        let group = EventLoopGroup(count: 2)

        var policy = DeflatePolicy()
        policy.keepsServerContext = true
        policy.keepsClientContext = true
        policy.minimumSize = 0
        let deflate = policy
        let pools = LoopLocal(group) { _ in CompressionPool(policy: deflate, maximumOwnContexts: 256) }
        var options = WebSocketOptions()
        options.limits = SizeLimits(message: largestMessage)
        options.outputLimit = 3 * largestMessage
        options.keepAlive = .seconds(60)
        let echo = options

        let server = Server(on: group) { request in
            guard request.path.elementsEqual("/echo".utf8) else { return Response(.notFound) }
            do throws(HandshakeRefusal) {
                let handshake = try ServerHandshake(
                    answering: HandshakeRequest(request), deflate: pools.current.policy)
                return .webSocket(handshake, options: echo, pool: pools) { _ in EchoHandler() }
            } catch {
                return error.response
            }
        }
        let address = try server.start(at: SocketAddress(ip: "127.0.0.1", port: port)!)
        print("echo on ws://\(address)/echo")
        fflush(nil)
        control.run()
        group.stop()
    }
}
