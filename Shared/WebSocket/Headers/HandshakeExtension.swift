/// One entry of a `Sec-WebSocket-Extensions` header: a name, and parameters with optional values.
struct HandshakeExtension: Equatable {
    struct Parameter: Equatable {
        var name: String
        var value: String?
    }

    var name: String
    var parameters: [Parameter] = []

    /// All entries in order; nil if the header violates the grammar of RFC 6455 §9.1.
    static func parse(_ header: String) -> [HandshakeExtension]? {
        var scanner = ListScanner(header)
        var found: [HandshakeExtension] = []
        repeat {
            // The list grammar of HTTP allows empty entries.
            if scanner.isAtEnd || scanner.isAt(",") { continue }
            guard let name = scanner.token() else { return nil }
            var entry = HandshakeExtension(name: name)
            while scanner.skip(";") {
                guard let parameter = parameter(&scanner) else { return nil }
                entry.parameters.append(parameter)
            }
            found.append(entry)
        } while scanner.skip(",")
        return scanner.isAtEnd ? found : nil
    }

    private static func parameter(_ scanner: inout ListScanner) -> Parameter? {
        guard let name = scanner.token() else { return nil }
        guard scanner.skip("=") else { return Parameter(name: name) }
        guard let value = scanner.isAt("\"") ? scanner.quotedToken() : scanner.token() else { return nil }
        return Parameter(name: name, value: value)
    }
}
