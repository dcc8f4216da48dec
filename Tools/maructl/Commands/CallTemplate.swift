/// A call of one service, with `{name}` in its path for the values of the command.
struct CallTemplate: Sendable, Equatable {
    /// How a reply becomes text for people.
    enum Shape: Sendable, Equatable {
        /// The members of the reply, one a line.
        case record
        /// A list in the reply, as a table of these members.
        case list(String, columns: [String])
        /// Only that it was done.
        case done(String)
    }

    let service: ServiceName
    let method: String
    let path: String
    /// The arguments and options that go into the query by their name.
    let query: [String]
    let shape: Shape
    /// The list of the reply that means failure unless it is empty, such as the differences of a ledger.
    let failing: String?

    init(
        _ service: ServiceName, _ method: String, _ path: String, query: [String] = [], _ shape: Shape,
        failingUnlessEmpty failing: String? = nil
    ) {
        self.service = service
        self.method = method
        self.path = path
        self.query = query
        self.shape = shape
        self.failing = failing
    }

    /// The path and query with values in their places, percent-encoded.
    func target(_ values: [String: String]) -> String {
        var target = path
        for (name, value) in values { target = target.replacing("{\(name)}", with: Self.encoded(value)) }
        let pairs = query.compactMap { name in values[name].map { "\(name)=\(Self.encoded($0))" } }
        return pairs.isEmpty ? target : target + "?" + pairs.joined(separator: "&")
    }

    /// The text with everything but unreserved characters as `%XX`.
    static func encoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF")
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default: encoded += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            }
        }
        return encoded
    }
}

/// The services, in the order of their ports.
enum ServiceName: String, Sendable, CaseIterable {
    case auth = "auth-service"
    case workspace = "workspace-service"
    case chat = "chat-service"
    case realtime = "realtime-gateway"
    case payment = "payment-service"
}
