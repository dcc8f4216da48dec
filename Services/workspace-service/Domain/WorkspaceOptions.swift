import Contract
import Postgres
import ServiceKit
import Wire

/// The settings of a workspace.
struct WorkspaceOptions: Sendable, Equatable {
    /// Whether anybody may ask to be let in.
    var acceptsRequests = false
}

/// A change of the settings of a workspace; nil leaves a value as it is.
struct WorkspaceOptionsChange: Sendable, Equatable {
    var acceptsRequests: Bool?
}

/// Reads and changes the settings of a workspace.
struct OptionsDesk: Sendable {
    let workspaces: Workspaces
    let store: OptionsStore

    func read(_ id: WorkspaceID, for user: UserID) async throws -> WorkspaceOptions {
        try await workspaces.require(.seeEverybody, of: user, in: id)
        guard let options = try await store.find(id) else { throw Failure.notFound }
        return options
    }

    func change(
        _ id: WorkspaceID, _ change: WorkspaceOptionsChange, by user: UserID, from origin: AuditOrigin
    ) async throws -> WorkspaceOptions {
        try await workspaces.changing(id, by: user) { _, role, tx in
            try Policy.require(.changeSettings, of: role)
            let options = try await store.change(id, change, in: tx)
            var detail: [String: String] = [:]
            if let flag = change.acceptsRequests { detail["acceptsRequests"] = "\(flag)" }
            if !detail.isEmpty {
                try await workspaces.audit.record(
                    AuditEvent(.settingsChanged, by: user, detail: detail, from: origin), of: id, in: tx)
            }
            return options
        }
    }
}
