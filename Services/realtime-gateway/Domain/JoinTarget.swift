import Contract
import ServiceKit
import SocketIO
import Wire

/// The subject of a request to join a namespace: a room, or all rooms of the user.
enum JoinTarget {
    case room(RoomID)
    /// With how far the client has its rooms.
    case me(MeCursors)

    /// The reason for which a namespace is refused before anything is asked.
    struct Refusal: Error {
        let message: String
    }

    static func find(
        _ namespace: String, _ authentication: SocketIOAuthentication
    ) -> Result<JoinTarget, Refusal> {
        if namespace == MeEvent.namespace {
            guard case .payload(let payload) = authentication, let cursors = payload["cursors"], !cursors.isNull else {
                return .success(.me(MeCursors()))
            }
            return MeCursors(cursors).map { .success(.me($0)) } ?? .failure(Refusal(message: "Invalid cursors"))
        }
        guard let room = Namespace.room(namespace) else { return .failure(Refusal(message: "Invalid namespace")) }
        return .success(.room(room))
    }
}

extension Caller {
    /// Bots have `/me` alone, with the scope `read`.
    func mayJoin(_ target: JoinTarget) -> Bool {
        guard let scopes else { return true }
        if case .me = target { return scopes.contains(.read) }
        return false
    }
}
