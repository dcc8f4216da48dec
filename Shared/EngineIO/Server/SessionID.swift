internal import Wire

/// A session's id: `<node>.<loop>.<random>`, so that whoever gets a request knows where its session lives.
///
/// The random part has 120 bits: whoever knows the id is taken for the client.
struct SessionID {
    let text: String
    let node: Substring
    let loop: Int

    /// A new one.
    static func make(node: String, loop: Int) -> SessionID {
        var random = SystemRandomNumberGenerator()
        let bytes = (0..<15).map { _ in UInt8.random(in: 0...255, using: &random) }
        return SessionID("\(node).\(loop).\(Base64.encode(bytes.span, .url))")!
    }

    /// One that a request names; nil where it cannot be any.
    init?(_ text: String) {
        guard text.utf8.count <= 64 else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let loop = Int(parts[1]), loop >= 0 else { return nil }
        self.text = text
        self.loop = loop
        node = parts[0]
    }
}
