import Contract
import HTTP
import ServiceKit
import Wire

/// Internal routes: accounts, devices, sessions and keys for the other services.
struct DirectoryRoutes: Sendable {
    let accounts: AccountStore
    let devices: DeviceStore
    let sessions: SessionStore
    let authority: LocalAuthority

    func register(in routes: inout InternalRoutes) {
        routes.add(.get, "/internal/keys", keys)
        routes.add(.post, "/internal/profiles", profiles)
        routes.add(.post, "/internal/profiles/by-email", profilesByEmail)
        routes.add(.post, "/internal/devices", deviceTokens)
        routes.add(.post, "/internal/devices/prune", prune)
        routes.add(.get, "/internal/sessions/{id}", session)
        routes.add(.get, "/internal/revocations", revocations)
    }

    func keys(_ call: InternalCall) async throws -> Response {
        let keys = try await authority.keys()
        return call.reply { json in json.value(keys) }
    }

    func profiles(_ call: InternalCall) async throws -> Response {
        let found = try await accounts.find(try await call.json().ids("ids"))
        return call.reply(capacity: 128 * found.count) { json in
            json.object { json in
                json.array("profiles") { json in
                    for account in found { json.object { Self.write(account, &$0) } }
                }
            }
        }
    }

    func profilesByEmail(_ call: InternalCall) async throws -> Response {
        let emails = try await call.json()["emails"]?.elements?.compactMap(\.string) ?? []
        guard emails.count <= InternalCall.bulkLimit else { throw Failure.invalid("Too many emails.") }
        let keys = emails.map { (text: $0, key: (try? EmailAddress($0))?.key) }
        let found = try await accounts.find(emailKeys: keys.compactMap(\.key))
        return call.reply { json in
            json.object { json in
                json.array("profiles") { json in
                    for (text, key) in keys {
                        guard let account = key.flatMap({ found[$0] }) else { continue }
                        json.object { json in
                            Self.write(account, &json)
                            json.field("asked", text)
                        }
                    }
                }
            }
        }
    }

    func deviceTokens(_ call: InternalCall) async throws -> Response {
        let found = try await devices.tokens(of: try await call.json().ids("ids"), at: .now)
        return call.reply(capacity: 256 * found.count) { json in
            json.object { json in
                json.array("devices") { json in
                    for (account, token) in found {
                        json.object { json in
                            json.field("user_id", account.description)
                            json.field("token", token)
                        }
                    }
                }
            }
        }
    }

    func prune(_ call: InternalCall) async throws -> Response {
        guard let token = try await call.json()["token"]?.string else { throw Failure.invalid("token is missing.") }
        try await devices.remove(token)
        return call.done()
    }

    func session(_ call: InternalCall) async throws -> Response {
        guard let session = try await sessions.find(try call.id("id")) else { throw Failure.notFound }
        return call.reply { json in
            json.object { json in
                json.field("session", session.id.description)
                json.field("user_id", session.account.description)
                json.field("profile", session.profile)
                json.field("revoked", session.revokedAt != nil)
                json.field("expires", session.expiresAt.milliseconds)
            }
        }
    }

    func revocations(_ call: InternalCall) async throws -> Response {
        guard let since = try call.query("since").flatMap(Int64.init) else {
            throw Failure.invalid("since is missing.")
        }
        let answer = try await authority.revocations(since: Timestamp(milliseconds: since))
        return call.reply { json in
            json.object { json in
                json.field("now", answer.now.milliseconds)
                json.field("revocations", answer.revocations)
            }
        }
    }

    private static func write(_ account: Account, _ json: inout JSONWriter) {
        json.field("user_id", account.id.description)
        json.field("email", account.email)
        json.field("nickname", account.nickname)
        if let image = account.profileImage { json.field("profileImage", image) }
        json.field("version", account.version)
    }
}
