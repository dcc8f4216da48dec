import HTTP
import ServiceSupport
import Wire

/// A stub of auth-service and workspace-service, with one workspace. Every user is a member of all channels below
/// `firstForeign`, and can see the others without being a member.
struct PeerStub: StubState {
    static let firstForeign: Int64 = 900_000

    mutating func answer(_ call: StubCall) -> Response? {
        switch call.path {
        case "/internal/profiles": Self.profiles(call.texts("ids"))
        case "/internal/access": Self.access(call.texts("channels"))
        case "/internal/blocks": .json(#"{"blocks":[]}"#)
        default: nil
        }
    }

    private static func profiles(_ ids: [String]) -> Response {
        list("profiles", ids) { id, json in
            json.field("user_id", id)
            json.field("email", "person\(id)@example.com")
            json.field("nickname", "Person \(id)")
            json.field("profileImage", "/static/profiles/image_0123456789abcdef0123456789ab\(id).png")
            json.field("version", 1)
        }
    }

    private static func access(_ channels: [String]) -> Response {
        list("channels", channels) { id, json in
            json.field("channel_id", id)
            json.field("workspace_id", "1")
            json.field("name", "general")
            json.field("role", Int64(id) ?? 0 < firstForeign ? "member" : "visible")
            json.field("default", false)
            json.field("version", 1)
        }
    }

    private static func list(
        _ name: StaticString, _ ids: [String], _ write: (String, inout JSONWriter) -> Void
    ) -> Response {
        .json(
            JSONWriter.bytes { json in
                json.object { json in
                    json.array(name) { json in for id in ids { json.object { json in write(id, &json) } } }
                }
            })
    }
}
