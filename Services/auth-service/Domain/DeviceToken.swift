import Contract

/// What a push provider calls a device.
enum DeviceToken {
    private static let longest = 4096

    /// Opaque text; empty clears, nil changes nothing.
    static func checked(_ text: String?) throws(Failure) -> String? {
        guard (text?.utf8.count ?? 0) <= longest else { throw .invalid("The device token is too long.") }
        return text
    }
}
