import EventLoop
import HTTP
import ServiceSupport
import TestSupport
import Wire

/// Plays auth-service and workspace-service for chat-service: one workspace, in whose channels everybody is a member.
///
/// Channels from `firstForeign` on are seen by everybody, who is a member of none of them.
final class PeerStandin: Sendable {
    static let firstForeign: Int64 = 900_000

    let tokens = TokenIssuer()
    let port: UInt16
    private let loops = EventLoopGroup(count: 1)
    private let server: Server

    init() throws {
        let tokens = tokens
        server = Server(on: loops) { request in
            let path = String(decoding: request.path, as: UTF8.self)
            let body = try await request.body.collect(upTo: 1 << 20)
            switch path {
            case "/internal/keys": return .json(tokens.jwks)
            case "/internal/revocations":
                return .json(Array(#"{"now":\#(Timestamp.now.milliseconds),"revocations":[]}"#.utf8))
            case "/internal/profiles": return .json(Self.profiles(try JSONValue(parsing: body)))
            case "/internal/access": return .json(Self.access(try JSONValue(parsing: body)))
            default: return .json(Array(#"{"errorCode":"E13"}"#.utf8), Status(404))
            }
        }
        port = try server.start(at: SocketAddress(ip: "127.0.0.1", port: 0)!).port
    }

    var url: String { "http://127.0.0.1:\(port)" }

    func stop() async {
        await server.stop()
        await onOwnThread { [loops] in loops.stop() }
    }

    private static func profiles(_ asked: JSONValue) -> [UInt8] {
        list("profiles", asked, "ids") { id, json in
            json.field("user_id", id)
            json.field("email", "person\(id)@example.com")
            json.field("nickname", "Person \(id)")
            json.field("profileImage", "/static/profiles/image_0123456789abcdef0123456789ab\(id).png")
            json.field("version", 1)
        }
    }

    private static func access(_ asked: JSONValue) -> [UInt8] {
        list("channels", asked, "channels") { id, json in
            json.field("channel_id", id)
            json.field("workspace_id", "1")
            json.field("name", "general")
            json.field("role", Int64(id) ?? 0 < firstForeign ? "member" : "visible")
            json.field("default", false)
            json.field("version", 1)
        }
    }

    private static func list(
        _ name: StaticString, _ asked: JSONValue, _ ids: StaticString, _ write: (String, inout JSONWriter) -> Void
    ) -> [UInt8] {
        let ids = asked[ids]?.elements?.compactMap { $0.string } ?? []
        return JSONWriter.bytes { json in
            json.object { json in
                json.array(name) { json in for id in ids { json.object { json in write(id, &json) } } }
            }
        }
    }
}
