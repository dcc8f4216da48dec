import Contract
import HTTP
import ServiceKit
import Wire

/// Internal routes of reconciliation for operators.
struct ReconciliationRoutes: Sendable {
    let reconciliation: Reconciliation

    func register(in routes: inout InternalRoutes) {
        routes.add(.get, "/internal/differences", differences)
        routes.add(.post, "/internal/reconciliation", run)
    }

    /// Lists the unresolved differences.
    func differences(_ call: InternalCall) async throws -> Response {
        let unresolved = try await reconciliation.unresolved()
        return call.reply { json in json.object { json in json.array("differences") { $0.entries(unresolved) } } }
    }

    /// Runs a reconciliation and returns its result.
    func run(_ call: InternalCall) async throws -> Response {
        let outcome = try await reconciliation.run()
        return call.reply { json in
            json.object { json in
                json.field("payments", outcome.payments)
                json.field("complete", outcome.isComplete)
                json.array("differences") { $0.entries(outcome.differences) }
            }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func entries(_ entries: [DifferenceStore.Entry]) {
        for entry in entries {
            object { json in
                json.field("kind", entry.difference.kind.rawValue)
                json.field("subject", entry.difference.subject)
                json.field("ours", entry.difference.ours)
                json.field("theirs", entry.difference.theirs)
                json.field("since", entry.firstSeenAt)
                json.field("seen", entry.lastSeenAt)
            }
        }
    }
}
