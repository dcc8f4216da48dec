internal import Wire

/// A session's id, `<node>.<loop>.<random>`, which tells the receiver of a request where the session lives.
///
/// The random part has 120 bits; a request that knows the id is accepted as the client.
struct SessionID {
    let text: String
    let node: Substring
    let loop: Int

    /// Makes a new id.
    static func make(node: String, loop: Int) -> SessionID {
        var random = SystemRandomNumberGenerator()
        let bytes = (0..<15).map { _ in UInt8.random(in: 0...255, using: &random) }
        return SessionID("\(node).\(loop).\(Base64.encode(bytes.span, .url))")!
    }

    /// Reads the id that a request names; nil if it cannot be one.
    init?(_ text: String) {
        guard text.utf8.count <= 64 else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let loop = Int(parts[1]), loop >= 0 else { return nil }
        self.text = text
        self.loop = loop
        node = parts[0]
    }
}
