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
        case ("blocks", _): .list("blocks", [])
        case ("access", _):
            .access(channels: channels().filter { call.ids("channels").contains($0.id) }.map(\.json), workspaces: [1])
        case ("users", "channels"): .list("channels", channels().filter(\.isMember).map(\.json))
        case ("workspaces", "channels"): .list("channels", channels().map(\.json))
        case ("workspaces", "members"): .list("members", (1...Self.users).map { "\"\($0)\"" })
        default: nil
        }
    }

    private func channels() -> [(id: Int64, isMember: Bool, json: String)] {
        (1...Self.channels).map { channel in
            let isMember = channel % 2 == 0
            return (channel, isMember, StubJSON.channel(channel, "channel-\(channel)", in: 1, isMember: isMember))
        }
    }
}
