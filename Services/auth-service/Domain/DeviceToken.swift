import Contract

/// What a push provider calls a device.
enum DeviceToken {
    /// Bytes; providers' are a tenth of it, and an index takes no more than 2,700.
    private static let longest = 2048

    /// Opaque text; empty clears, nil changes nothing.
    static func checked(_ text: String?) throws(Failure) -> String? {
        guard (text?.utf8.count ?? 0) <= longest else { throw .invalid("The device token is too long.") }
        return text
    }
}
