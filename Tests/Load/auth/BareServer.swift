import EventLoop
import HTTP

/// The reference of `deploy/load auth`: our HTTP server with one small reply.
enum BareServer {
    private static let reply = #"{"status":"ok","workspace_id":"1024","channel_id":"77"}"#

    static func run(port: UInt16, loops: Int) async throws {
        let group = EventLoopGroup(count: loops)
        let body = Array(reply.utf8)
        let server = Server(on: group) { _ in .json(body) }
        guard let address = SocketAddress(ip: "127.0.0.1", port: port) else { return }
        print("listening on \(try server.start(at: address))")
        while true { try await group.loops[0].sleep(for: .seconds(3600)) }
    }
}
