import Contract
import Postgres
import ServiceKit
import Wire

/// The settings of a workspace.
struct WorkspaceOptions: Sendable, Equatable {
    /// Whether anybody may ask to be let in.
    var acceptsRequests = false
    /// When members need a second factor; nil if the workspace requires none.
    var secondFactorFrom: Timestamp?
    /// The time that members have to set one up, from the change of the setting or from their joining on.
    var secondFactorGrace = Duration.zero
}

/// A change of the settings of a workspace; nil leaves a value as it is.
struct WorkspaceOptionsChange: Sendable, Equatable {
    var acceptsRequests: Bool?
    var requiresSecondFactor: Bool?
    var secondFactorGrace: Duration?

    /// The settings afterwards. A change of the rule about second factors begins a new grace.
    func applied(to old: WorkspaceOptions, at now: Timestamp) -> WorkspaceOptions {
        var new = old
        if let acceptsRequests { new.acceptsRequests = acceptsRequests }
        let isRequired = requiresSecondFactor ?? (old.secondFactorFrom != nil)
        if !isRequired {
            new.secondFactorFrom = nil
            new.secondFactorGrace = .zero
        } else if old.secondFactorFrom == nil || secondFactorGrace ?? old.secondFactorGrace != old.secondFactorGrace {
            new.secondFactorGrace = secondFactorGrace ?? .seconds(SecondFactorRule.graceDays * 86_400)
            new.secondFactorFrom = now + new.secondFactorGrace
        }
        return new
    }
}

/// Reads and changes the settings of a workspace.
struct OptionsEditor: Sendable {
    let workspaces: Workspaces
    let store: OptionsStore
    let secondFactors: SecondFactorRule

    func read(_ id: WorkspaceID, for user: UserID) async throws -> WorkspaceOptions {
        try await workspaces.require(.seeEverybody, of: user, in: id)
        guard let options = try await store.find(id) else { throw Failure.notFound }
        return options
    }

    func change(
        _ id: WorkspaceID, _ change: WorkspaceOptionsChange, by user: UserID, from origin: AuditOrigin
    ) async throws -> WorkspaceOptions {
        if change.requiresSecondFactor ?? (change.secondFactorGrace != nil) {
            try await workspaces.require(.changeSettings, of: user, in: id)
            // A shorter grace alone would lock out the owner as well.
            let isOn = try await store.find(id)?.secondFactorFrom != nil
            if change.requiresSecondFactor == true || isOn { try await secondFactors.requireFactor(of: user) }
        }
        let options = try await workspaces.changing(id, by: user) { _, role, tx in
            try Policy.require(.changeSettings, of: role)
            let old = try await store.change(id, acceptsRequests: change.acceptsRequests, in: tx)
            let now = Timestamp.now
            let new = change.applied(to: old, at: now)
            var detail: [String: String] = [:]
            if let flag = change.acceptsRequests { detail["acceptsRequests"] = "\(flag)" }
            if (new.secondFactorFrom, new.secondFactorGrace) != (old.secondFactorFrom, old.secondFactorGrace) {
                try await secondFactors.set(new, of: id, at: now, tx)
                detail["requiresSecondFactor"] = "\(new.secondFactorFrom != nil)"
                if new.secondFactorFrom != nil {
                    detail["secondFactorGraceDays"] = "\(new.secondFactorGrace.wholeMilliseconds / 86_400_000)"
                }
            }
            if !detail.isEmpty {
                try await workspaces.audit.record(
                    AuditEvent(.settingsChanged, by: user, detail: detail, from: origin), of: id, in: tx)
            }
            return new
        }
        // Without a grace members are locked out at once, and nobody stays locked out of a workspace that requires nothing.
        if change.requiresSecondFactor != nil || change.secondFactorGrace != nil {
            await secondFactors.applyNow(to: id)
        }
        return options
    }
}
