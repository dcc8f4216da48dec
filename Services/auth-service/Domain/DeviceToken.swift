import Contract

/// The rule for a push provider's token of a device.
enum DeviceToken {
    /// Bytes. Providers' tokens are a tenth of it, and an index entry takes at most 2,700 bytes.
    private static let longest = 2048

    /// Returns the opaque token. An empty token clears the device; nil leaves it unchanged.
    static func checked(_ text: String?) throws(Failure) -> String? {
        guard (text?.utf8.count ?? 0) <= longest else { throw .invalid("The device token is too long.") }
        return text
    }
}
