import ServiceKit

/// The settings of second factors.
struct SecondFactorSettings: Sendable {
    private static let keyKey = ConfigKey(
        "second_factor_key", default: Secret.none,
        "The key that authenticator apps and recovery codes depend on; empty derives it from service_credential. A change "
            + "makes all of them useless.")
    private static let issuerKey = ConfigKey(
        "second_factor_issuer", default: "Maru", "The name of this server in authenticator apps.")

    static let entries = [keyKey.entry, issuerKey.entry]

    let secrets: SecondFactorSecrets
    let issuer: String

    /// - Parameter credential: the secret of the services.
    init(_ config: Config, credential: String) {
        let key = config[Self.keyKey].revealed
        secrets = SecondFactorSecrets(key: key.isEmpty ? credential : key)
        issuer = config[Self.issuerKey]
    }
}
