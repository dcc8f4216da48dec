import Contract
import HTTP
import ServiceKit
import Wire

/// The caller's drafts. The rooms of a home screen show them.
struct DraftRoutes: Sendable {
    let rooms: RoomPath
    let drafts: Drafts

    func register(in routes: inout PublicRoutes) {
        routes.native(.put, of: rooms, "/draft", body: .text(SendRequest.maxText), put)
    }

    /// Stores a text for the room or one of its threads. An empty text clears it.
    func put(_ call: Call, _ caller: Caller, _ room: RoomPath.Room) async throws -> Response {
        let fields = try await call.fields()
        let draft = try Draft(
            writing: try fields.text("content"),
            thread: fields.hasValue("thread") ? Int64(try fields.number("thread")) : nil)
        try await drafts.put(draft, in: room.target.key, by: caller)
        return call.done()
    }
}
