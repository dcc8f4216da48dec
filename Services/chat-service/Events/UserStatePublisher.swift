import Contract
import ServiceKit
import Wire

/// Tells gateways that a user has changed something of their own, so that the user's other devices show it.
struct UserStatePublisher: Sendable {
    let hints: RepeatedHints

    func publish(_ part: UserStateHint.Part, of caller: Caller, in room: RoomID? = nil) {
        hints.publish(UserStateHint(user: caller.user, part: part, room: room, session: caller.session))
    }
}
