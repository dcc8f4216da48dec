import Contract
import HTTP
import ServiceKit
import Wire

/// Tells operators why members of a room were pushed a message or not.
struct PushDecisionRoutes: Sendable {
    let decisions: PushDecisionStore
    /// Whether the settings name a provider.
    let isPushOn: Bool

    func register(in routes: inout InternalRoutes) {
        routes.add(.get, "/internal/pushes/{room}/{seq}", find)
    }

    func register(in routes: inout OperatorRoutes) {
        routes.look("pushes.show", "/operator/pushes/{room}/{seq}", find)
    }

    /// Replies with the decision about each member and the pushes that were made. A message is not found before its job
    /// is taken, and after its decisions are forgotten. While push is off, nothing is decided: the reply says so, and has the
    /// decisions of the time before.
    func find(_ call: InternalCall) async throws -> Response {
        guard let room = RoomID(try call.text("room")), let seq = Int64(try call.text("seq")), seq > 0 else {
            throw Failure.notFound
        }
        let decided = try await decisions.decisions(about: seq, in: room)
        guard !(isPushOn && decided.isEmpty) else { throw Failure.notFound }
        let pushes = try await decisions.pushes(of: seq, in: room)
        return call.reply(capacity: 64 * decided.count + 256) { json in
            json.object { json in
                json.field("room", room.description)
                json.field("seq", seq)
                json.field("push", isPushOn ? "on" : "off")
                if let first = decided.first { json.field("decidedAt", first.decidedAt) }
                json.array("users") { json in
                    for decision in decided {
                        json.object { json in
                            json.field("user_id", decision.user.description)
                            json.field("reason", decision.reason)
                            json.field("isPushed", PushReason(rawValue: decision.reason)?.isPush ?? false)
                        }
                    }
                }
                json.array("pushes") { json in
                    for push in pushes {
                        json.object { json in
                            json.field("user_id", push.user.description)
                            json.field("attempts", Int(push.attempts))
                            if let outcome = push.outcome { json.field("outcome", outcome) }
                            if let doneAt = push.doneAt { json.field("doneAt", doneAt) }
                        }
                    }
                }
            }
        }
    }
}
