import Contract
import HTTP
import ServiceKit
import Wire

/// The settings of a workspace, and the members that lack a required second factor, for clients of the native API.
struct SettingsRoutes: Sendable {
    let options: OptionsEditor

    private static let day = Duration.seconds(86_400)

    func register(in routes: inout PublicRoutes) {
        let workspace = "/v1/workspaces/{id}"
        routes.native(.get, workspace + "/settings", settings)
        routes.native(.put, workspace + "/settings", changeSettings)
        routes.native(.get, workspace + "/second-factor", lacking)
    }

    func registerInternal(in routes: inout InternalRoutes) { routes.add(LockOutRequest.self, lockedOut) }

    func settings(_ call: Call, _ caller: Caller) async throws -> Response {
        reply(call, try await options.read(try call.id("id"), for: caller.user))
    }

    func changeSettings(_ call: Call, _ caller: Caller) async throws -> Response {
        let id: WorkspaceID = try call.id("id")
        let fields = try await call.fields()
        var change = WorkspaceOptionsChange(
            acceptsRequests: try fields.optionalFlag("joinRequests"),
            requiresSecondFactor: try fields.optionalFlag("requiresSecondFactor"))
        if fields.hasValue("secondFactorGraceDays") {
            let days = try fields.number("secondFactorGraceDays")
            guard (0...SecondFactorRule.mostGraceDays).contains(days) else {
                throw Failure.invalid("secondFactorGraceDays must be from 0 to \(SecondFactorRule.mostGraceDays).")
            }
            change.secondFactorGrace = Self.day * days
        }
        return reply(call, try await options.change(id, change, by: caller.user, from: call.origin(of: caller)))
    }

    func lacking(_ call: Call, _ caller: Caller) async throws -> Response {
        let limit = try call.listLimit()
        let found = try await options.secondFactors.lacking(
            in: try call.id("id"), Page(after: try call.placeCursor(), limit: limit), for: caller.user)
        let last = found.count == limit ? found.last?.member : nil
        return call.page(
            found.filter { $0.profile != nil }, next: last.map { "\($0.joinedAt.milliseconds)-\($0.user)" }
        ) { found, json in
            json.object { json in
                if let profile = found.profile { json.field("user", profile, for: call.profile) }
                json.field("role", found.member.role.rawValue)
                if let due = found.member.due { json.field("dueAt", due) }
                json.field("lockedOut", found.member.isLockedOut)
            }
        }
    }

    func lockedOut(_ request: LockOutRequest) async throws -> LockOutReply {
        LockOutReply(
            workspaces: try await options.secondFactors.store.lockedOut(
                request.user, channels: request.channels, workspaces: request.workspaces))
    }

    private func reply(_ call: Call, _ options: WorkspaceOptions) -> Response {
        call.reply { json in
            json.object { json in
                json.field("joinRequests", options.acceptsRequests)
                json.field("requiresSecondFactor", options.secondFactorFrom != nil)
                if let from = options.secondFactorFrom {
                    json.field("secondFactorGraceDays", Int(options.secondFactorGrace / Self.day))
                    json.field("secondFactorFrom", from)
                }
            }
        }
    }
}
