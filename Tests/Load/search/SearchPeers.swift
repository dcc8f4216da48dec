import HTTP
import ServiceSupport

/// A stub of auth-service and workspace-service with one workspace of 200 channels. User 1 makes the searches and is
/// in every second one of them.
struct SearchPeers: StubState {
    static let channels: Int64 = 200
    static let users: Int64 = 500

    mutating func answer(_ call: StubCall) -> Response? {
        switch call.subject {
        case ("profiles", _): .list("profiles", call.ids("ids").map { StubJSON.profile($0, nickname: "사람\($0)") })
        case ("access", _): .access(channels: [], workspaces: [1])
        case ("users", "channels"):
            .list(
                "channels",
                (1...Self.channels).filter { $0 % 2 == 0 }.map {
                    StubJSON.channel($0, "channel-\($0)", in: 1, isMember: true)
                })
        case ("workspaces", "members"): .list("members", (1...Self.users).map { "\"\($0)\"" })
        default: nil
        }
    }
}
