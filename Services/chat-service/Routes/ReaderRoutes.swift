import Contract
import HTTP
import ServiceKit
import Wire

/// How far the members of a room have read it.
struct ReaderRoutes: Sendable {
    let rooms: RoomPath
    let receipts: ReadReceipts

    func register(in routes: inout PublicRoutes) {
        routes.native(.get, of: rooms, "/readers", list)
    }

    /// Replies with an element for each member, or for each seq in a large room.
    func list(_ call: Call, _ caller: Caller, _ room: RoomPath.Room) async throws -> Response {
        let readers = try await receipts.readers(of: room.target, for: caller.user)
        return call.reply(capacity: 8192) { json in
            json.array { json in
                switch readers {
                case .members(let members):
                    for (user, seq) in members {
                        json.object { json in
                            json.field("user_id", user, for: call.profile)
                            json.field("seq", seq)
                        }
                    }
                case .counts(let counts):
                    for (seq, count) in counts {
                        json.object { json in
                            json.field("seq", seq)
                            json.field("count", count)
                        }
                    }
                }
            }
        }
    }
}
