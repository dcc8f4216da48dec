import Contract
import Wire

/// Adds an account to the workspaces that its API key names, before the reply to its join or login.
struct AutoJoin: Sendable {
    let workspaces: WorkspaceClient

    func joinWorkspaces(_ account: UserID, under profile: ClientProfile) async throws {
        if profile.autoJoin.isEmpty { return }
        try await workspaces.autoJoin(account, slugs: profile.autoJoin)
    }
}
