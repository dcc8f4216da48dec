import Contract
import Wire

/// Brings an account into the workspaces that everybody of its API key is in, before the reply to its join or login.
struct AutoJoin: Sendable {
    let workspaces: WorkspaceClient

    func enter(_ account: UserID, under profile: ClientProfile) async throws {
        if profile.autoJoin.isEmpty { return }
        try await workspaces.autoJoin(account, slugs: profile.autoJoin)
    }
}
