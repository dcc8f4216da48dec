import Wire

/// The other valid form of a P-256 signature.
enum P256Order {
    private static let order =
        Hexadecimal.decode("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551".utf8.span) ?? []

    /// The signature r‖(n - s) for r‖s, both in base64url; nil if the text is not base64url.
    static func other(_ text: String) -> String? {
        guard let signature = Base64.decode(text.utf8.span, .url) else { return nil }
        var other = signature
        var borrow = 0
        for index in (0..<32).reversed() {
            let difference = Int(order[index]) - Int(signature[32 + index]) - borrow
            borrow = difference < 0 ? 1 : 0
            other[32 + index] = UInt8(difference & 255)
        }
        return Base64.encode(other.span, .url)
    }
}
