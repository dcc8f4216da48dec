import EngineIO
import EventLoop
import Glibc
import HTTP
import SocketIO

/// `socketio-conformance PORT [LOOPS [TIMEOUT [INTERVAL]]]` serves the endpoints of the public suites of Engine.IO and Socket.IO on
/// 127.0.0.1: `/engine.io/` echoes, `/socket.io/` has the suite's events. It pings every INTERVAL milliseconds and waits TIMEOUT
/// milliseconds for an answer; the suites expect 300 and 200, which are the defaults.
@main
struct ConformanceServer {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let port = arguments.first.flatMap({ UInt16($0) }) else {
            print("usage: socketio-conformance PORT [LOOPS [TIMEOUT [INTERVAL]]]")
            exit(2)
        }
        let control = EventLoop()
        let signals = SignalSource([SIGTERM, SIGINT]) { _ in control.stop() }
        signals.start(on: control)
        let numbers = arguments.dropFirst().map { Int($0) }
        func number(_ index: Int) -> Int? { numbers.indices.contains(index) ? numbers[index] : nil }
        let group = EventLoopGroup(count: number(0) ?? 2)

        var settings = EngineSettings()
        settings.pingInterval = .milliseconds(number(2) ?? 300)
        settings.pingTimeout = .milliseconds(number(1) ?? 200)
        let engine = EngineServer(on: group, settings: settings, crossOrigin: .anyone) { _ in
            EngineAcceptance { _ in EngineEcho() }
        }
        let socketIO = EngineServer(on: group, settings: settings, crossOrigin: .anyone) { _ in
            EngineAcceptance { socket in SocketIOClient(socket) { _ in ConformanceClient() } }
        }
        let server = Server(on: group) { request in
            switch String(decoding: request.path, as: UTF8.self) {
            case "/engine.io/", "/engine.io": await engine.respond(to: request)
            case "/socket.io/", "/socket.io": await socketIO.respond(to: request)
            default: Response(.notFound)
            }
        }
        let address = try server.start(at: SocketAddress(ip: "127.0.0.1", port: port)!)
        print("conformance on http://\(address)")
        fflush(nil)
        control.run()
        group.stop()
    }
}
