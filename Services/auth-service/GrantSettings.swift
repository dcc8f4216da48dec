import Crypto
import ServiceKit

/// The settings for revoking grants at providers when accounts are deleted.
struct GrantSettings: Sendable {
    private static let kakaoKey = ConfigKey(
        "kakao_admin_key", default: Secret.none,
        "The admin key of our app at Kakao, which unlinks deleted accounts; empty for none.")
    private static let teamKey = ConfigKey("apple_team_id", default: "", "The id of our team at Apple; empty for none.")
    private static let appleKeyIDKey = ConfigKey(
        "apple_key_id", default: "", "The id of our key for sign-in with Apple; empty for none.")
    private static let applePrivateKey = ConfigKey(
        "apple_private_key", default: Secret.none,
        "The key for sign-in with Apple as PEM, which revokes grants of deleted accounts; empty for none.")

    static let entries = [kakaoKey.entry, teamKey.entry, appleKeyIDKey.entry, applePrivateKey.entry]

    let kakaoAdminKey: String
    let appleTeam: String
    /// Nil if none is set up.
    let appleKey: SigningKey?

    /// - Throws: `ConfigError` for a key that cannot be read.
    init(_ config: Config) throws {
        kakaoAdminKey = config[Self.kakaoKey].revealed
        appleTeam = config[Self.teamKey]
        let pem = config[Self.applePrivateKey].revealed
        guard !pem.isEmpty else {
            appleKey = nil
            return
        }
        guard let key = try? SigningKey(pem: pem, id: config[Self.appleKeyIDKey]) else {
            throw ConfigError("apple_private_key is not a private key")
        }
        appleKey = key
    }
}
