internal import Contract
public import Crypto

/// The text of a bot's token: a prefix, by which people and scanners of leaked secrets recognize it, and a secret.
public enum BotToken {
    private static let prefix = "maru_bot_"
    private static let shown = 6

    /// The token of a fresh secret.
    public static func text(of secret: BearerSecret) -> String { prefix + secret.text }

    /// The first characters of a token, by which people tell tokens apart.
    public static func hint(of secret: BearerSecret) -> String { prefix + secret.text.prefix(shown) }

    /// The secret of a token; nil for a token that is not a bot's.
    static func secret(in token: [UInt8]) -> BearerSecret? {
        guard token.starts(with: prefix.utf8) else { return nil }
        return BearerSecret(String(decoding: token.dropFirst(prefix.utf8.count), as: UTF8.self))
    }
}
