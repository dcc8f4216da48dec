/// The parameters of one `permessage-deflate` entry, in an offer or an answer, as written.
struct DeflateOffer: Equatable {
    static let name = "permessage-deflate"

    /// A window size; its parameter may have no value.
    enum WindowBits: Equatable {
        case any
        case atMost(Int)
    }

    var serverNoContextTakeover = false
    var clientNoContextTakeover = false
    var serverMaxWindowBits: Int?
    var clientMaxWindowBits: WindowBits?

    init() {}

    /// Returns nil for another extension, and for unknown, repeated or invalid parameters: decline the entry.
    init?(_ entry: HandshakeExtension) {
        guard entry.name.lowercased() == Self.name else { return nil }
        var seen: Set<String> = []
        for parameter in entry.parameters {
            let name = parameter.name.lowercased()
            guard seen.insert(name).inserted else { return nil }
            switch (name, parameter.value) {
            case ("server_no_context_takeover", nil): serverNoContextTakeover = true
            case ("client_no_context_takeover", nil): clientNoContextTakeover = true
            case ("server_max_window_bits", let value?):
                guard let bits = Self.windowBits(value) else { return nil }
                serverMaxWindowBits = bits
            case ("client_max_window_bits", nil): clientMaxWindowBits = .any
            case ("client_max_window_bits", let value?):
                guard let bits = Self.windowBits(value) else { return nil }
                clientMaxWindowBits = .atMost(bits)
            default: return nil
            }
        }
    }

    /// 8 to 15 in decimal, without a leading zero.
    private static func windowBits(_ text: String) -> Int? {
        (8...15).first { String($0) == text }
    }

    var header: String {
        var parts = [Self.name]
        if serverNoContextTakeover { parts.append("server_no_context_takeover") }
        if clientNoContextTakeover { parts.append("client_no_context_takeover") }
        if let serverMaxWindowBits { parts.append("server_max_window_bits=\(serverMaxWindowBits)") }
        switch clientMaxWindowBits {
        case .any: parts.append("client_max_window_bits")
        case .atMost(let bits): parts.append("client_max_window_bits=\(bits)")
        case nil: break
        }
        return parts.joined(separator: "; ")
    }
}
