import Contract
import HTTP
import ServiceKit
import Wire

/// The pushes that the caller wants of a room.
struct NotifyRoutes: Sendable {
    let rooms: RoomPath
    let preferences: Preferences

    func register(in routes: inout PublicRoutes) {
        routes.native(.put, of: rooms, "/notify", put)
    }

    /// Sets level and mute. Without `mutedUntil` the room is not muted any more.
    func put(_ call: Call, _ caller: Caller, _ room: RoomPath.Room) async throws -> Response {
        let notify = try RoomNotify(fields: try await call.fields())
        try await preferences.set(notify, in: room.target.key, by: caller)
        return call.reply { json in json.object { $0.notify(notify) } }
    }
}

extension JSONWriter {
    /// Appends the members of a level and a mute: `level` and `mutedUntil`.
    fileprivate mutating func notify(_ notify: RoomNotify) {
        field("level", notify.level.text)
        if let until = notify.mutedUntil { field("mutedUntil", until) }
    }
}

extension RoomNotify {
    fileprivate init(fields: Fields) throws(Failure) {
        guard let level = Level(try fields.text("level")) else {
            throw .invalid("level must be all, mentions or none.")
        }
        self.init(level: level, mutedUntil: try fields.optionalMoment("mutedUntil"))
    }
}

extension Fields {
    /// A date with its zone; nil if it is absent or null.
    func optionalMoment(_ name: String) throws(Failure) -> Timestamp? {
        guard let text = try optionalText(name) else { return nil }
        guard let moment = Timestamp(text) else { throw .invalid("\(name) is not a valid date.") }
        return moment
    }
}
