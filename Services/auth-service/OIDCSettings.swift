import ServiceKit
import Wire

/// The settings of sign-in with OpenID Connect: a file with the issuers.
///
///     [{"name": "company", "title": "Company", "issuer": "https://id.example.com", "client_id": "maru",
///       "client_secret": "…", "redirects": ["https://chat.example.com/", "com.example.chat:/signed-in"]}]
struct OIDCSettings: Sendable {
    private static let fileKey = ConfigKey(
        "oidc_issuers_file", default: "",
        "A JSON file with the OpenID Connect issuers that users may sign in with; empty for none.")
    private static let intervalKey = ConfigKey(
        "oidc_key_interval", default: Duration.seconds(10),
        "The shortest interval between two fetches of an issuer's keys because of tokens with an unknown key.")

    static let entries = [fileKey.entry, intervalKey.entry]

    let issuers: [OIDCIssuer.Registration]
    let keyInterval: Duration

    /// - Throws: `ConfigError` for a file that cannot be read or lacks a member.
    init(_ config: Config) throws {
        keyInterval = config[Self.intervalKey]
        let path = config[Self.fileKey]
        if path.isEmpty {
            issuers = []
            return
        }
        guard let text = Config.textOfFile(path), let json = try? JSONValue(parsing: text),
            let elements = json.elements
        else { throw ConfigError("oidc_issuers_file: \(path) is not a JSON list") }
        issuers = try elements.map { element in
            guard let issuer = OIDCIssuer.Registration(element) else {
                throw ConfigError(
                    "oidc_issuers_file: an issuer needs name, issuer, client_id and redirects; issuers use https")
            }
            return issuer
        }
        guard Set(issuers.map(\.name)).count == issuers.count, Set(issuers.map(\.issuer)).count == issuers.count else {
            throw ConfigError("oidc_issuers_file: two issuers have the same name or address")
        }
    }
}
