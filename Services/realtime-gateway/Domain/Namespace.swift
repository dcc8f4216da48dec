import Wire

/// The namespaces of the shipped clients: one a room, its event named after the room's kind.
enum Namespace {
    /// The room that a namespace such as `/ws-channel-7` or `/ws-dm-7` stands for; nil for any other.
    static func room(_ namespace: String) -> RoomID? {
        let prefix = "/ws-"
        guard namespace.hasPrefix(prefix) else { return nil }
        return RoomID(String(namespace.dropFirst(prefix.count)))
    }

    static func name(of room: RoomID) -> String { "/ws-\(room)" }

    /// The name of the only event of the namespace.
    static func event(of room: RoomID) -> String { room.kind == .channel ? "channel" : "dm" }
}
