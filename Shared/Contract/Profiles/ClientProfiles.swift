internal import Wire

/// The client profile of each API key. It is a class because every call reads it.
public final class ClientProfiles: Sendable {
    /// There are few keys, so a linear search is faster than a dictionary.
    private let keys: [ClientKey]
    private let byName: [String: ClientProfile]

    /// Reads the text of `clients.json`, an object of API keys and profiles.
    public init(json text: [UInt8]) throws {
        guard let keys = try JSONValue(parsing: text).members else { throw ClientProfileError("not an object") }
        var byKey: [String: ClientProfile] = [:]
        var byName: [String: ClientProfile] = [:]
        for (key, value) in keys {
            guard byKey[key] == nil else { throw ClientProfileError("\(key) appears twice") }
            let profile = try ClientProfile(json: value, key: key)
            if let other = byName[profile.name], other != profile {
                throw ClientProfileError("\(key): another profile is named \(profile.name)")
            }
            byKey[key] = profile
            byName[profile.name] = profile
        }
        guard !byKey.isEmpty else { throw ClientProfileError("no API keys") }
        self.keys = byKey.map { ClientKey($0, $1) }
        self.byName = byName
    }

    /// The profile of an API key.
    public subscript(key key: String) -> ClientProfile? { keys.first { $0.text == key }?.profile }

    /// The API key in a header.
    public func find(_ key: Span<UInt8>) -> ClientKey? {
        key.withUnsafeBufferPointer { key in
            keys.first { $0.bytes.count == key.count && $0.bytes.elementsEqual(key) }
        }
    }

    /// The profile of this name, as in a token.
    public subscript(name name: String) -> ClientProfile? { byName[name] }

    /// All profiles, each once, sorted by name.
    public var all: [ClientProfile] { byName.values.sorted { $0.name < $1.name } }

    /// The keys for development, sorted: those that are the name of their profile, as all of `deploy/clients.json` are.
    /// Anybody can guess them.
    public var developmentKeys: [String] { keys.filter { $0.text == $0.profile.name }.map(\.text).sorted() }

    /// The longest time for which any token is valid. An access token's time is set by its profile; a socket cookie is
    /// valid as long as its session.
    public var longestTokenLifetime: Duration {
        byName.values.map { max($0.accessTokenLifetime, $0.refreshTokenLifetime) }.max() ?? .zero
    }
}

/// The reason why `clients.json` is not valid.
public struct ClientProfileError: Error, Equatable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = "clients: \(description)" }
}
