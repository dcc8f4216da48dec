import Contract
import ServiceKit
import Wire

/// The acts of operators on accounts. Each act that takes access away ends the sessions in its own transaction.
struct OperatorAccounts: Sendable {
    let store: OperatorStore
    let sessions: Sessions
    let factors: SecondFactors
    let erasures: Erasures
    let exports: Exports

    private static let mostFound = 50

    func find(_ text: String) async throws -> [OperatorAccount] {
        guard !text.isEmpty else { throw Failure.invalid("text is missing.") }
        return try await store.search(text, limit: Self.mostFound)
    }

    func show(_ id: UserID) async throws -> OperatorAccount {
        guard let account = try await store.find(id, at: .now) else { throw Failure.notFound }
        return account
    }

    /// Ends all sessions; their sockets close within a second.
    func signOut(_ id: UserID) async throws -> Int {
        _ = try await show(id)
        return try await sessions.endAll(of: id)
    }

    /// Ends one session of any user.
    func end(_ session: SessionID) async throws {
        guard let account = try await sessions.store.account(of: session),
            try await sessions.end(session, of: account)
        else { throw Failure.notFound }
    }

    /// Keeps the user from signing in and ends all sessions.
    func disable(_ id: UserID) async throws -> Int {
        let now = Timestamp.now
        let ended = try await store.transaction { tx in
            guard try await store.disable(id, at: now, in: tx) else { throw Failure.notFound }
            return try await sessions.revokeAll(of: id, at: now, in: tx)
        }
        sessions.publish(ended, of: id, at: now)
        return ended.count
    }

    func enable(_ id: UserID) async throws {
        guard try await store.enable(id) else { throw Failure.notFound }
    }

    /// Deletes the account as its owner could.
    ///
    /// - Throws: E15 while the user owns workspaces that others are in.
    func delete(_ id: UserID, deletesMessages: Bool) async throws {
        let shared = try await erasures.obstacles(of: id)
        guard shared.isEmpty else {
            let list = shared.map(\.description).joined(separator: ", ")
            throw Failure(.refused, "Hand over or close these workspaces of the user first: \(list).")
        }
        try await erasures.delete(Erasures.Order(account: id, deletesMessages: deletesMessages, grant: nil))
    }

    /// Turns the second factor off, ends all sessions and tells the owner by mail.
    func resetSecondFactor(_ id: UserID) async throws -> Int {
        guard try await show(id).access?.hasSecondFactor == true else {
            throw Failure(.refused, "The account has no second factor.")
        }
        return try await factors.reset(of: id)
    }
}
