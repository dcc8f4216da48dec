import HTTP
import ServiceKit

/// The address at which the outside reaches the product. Programs are told addresses that begin with it.
struct PublicURL: Sendable {
    private static let key = ConfigKey(
        "public_url", default: "",
        """
        The address of the product from outside, such as https://chat.example.com. The secret addresses of incoming webhooks \
        and of later answers to commands begin with it. Without it they begin after /v1.
        """)
    static let settings = [key.entry]

    /// Ends without a slash; empty if the deployment does not say its address.
    private let base: String

    init(_ config: Config) throws(ConfigError) {
        var text = config[Self.key]
        guard text.isEmpty || OutsideURL(text) != nil && !text.contains("?") else {
            throw ConfigError("public_url must be an address such as https://chat.example.com, or empty")
        }
        while text.hasSuffix("/") { text.removeLast() }
        base = text
    }

    /// The address of a path below `/v1`; the path itself if the base is not known.
    func address(of path: String) -> String { base.isEmpty ? path : "\(base)/v1\(path)" }
}
