import Contract
import ServiceKit
import Wire

/// Internal routes: accounts, devices, revocations and keys for the other services.
struct DirectoryRoutes: Sendable {
    let accounts: AccountStore
    let devices: DeviceStore
    let authority: LocalAuthority

    func register(in routes: inout InternalRoutes) {
        routes.add(KeysRequest.self, keys)
        routes.add(ProfilesRequest.self, profiles)
        routes.add(ProfilesByEmailRequest.self, profilesByEmail)
        routes.add(DevicesRequest.self, deviceTokens)
        routes.add(PruneDeviceRequest.self, prune)
        routes.add(RevocationsRequest.self, revocations)
    }

    func keys(_ request: KeysRequest) async throws -> KeysReply {
        let keys = try await authority.keys()
        return KeysReply(jwks: try JSONValue(parsing: JSONWriter.bytes { json in json.value(keys) }))
    }

    func profiles(_ request: ProfilesRequest) async throws -> ProfilesReply {
        ProfilesReply(profiles: try await accounts.find(request.users).map(Self.profile))
    }

    func profilesByEmail(_ request: ProfilesByEmailRequest) async throws -> ProfilesByEmailReply {
        let keys = request.emails.map { (text: $0, key: (try? EmailAddress($0))?.key) }
        let found = try await accounts.find(emailKeys: keys.compactMap(\.key))
        return ProfilesByEmailReply(
            matches: keys.compactMap { text, key in
                key.flatMap { found[$0] }.map { .init(profile: Self.profile($0), asked: text) }
            })
    }

    func deviceTokens(_ request: DevicesRequest) async throws -> DevicesReply {
        DevicesReply(devices: try await devices.devices(of: request.users, at: .now))
    }

    func prune(_ request: PruneDeviceRequest) async throws -> EmptyReply {
        try await devices.remove(request.token)
        return EmptyReply()
    }

    func revocations(_ request: RevocationsRequest) async throws -> RevocationsReply {
        let found = try await authority.revocations(since: request.since)
        return RevocationsReply(now: found.now, revocations: found.revocations)
    }

    private static func profile(_ account: Account) -> AuthClient.Profile {
        AuthClient.Profile(member: account.memberView, version: account.version)
    }
}
