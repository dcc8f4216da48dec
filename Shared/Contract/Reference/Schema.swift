/// The form of a JSON value that clients send or receive. It stands beside the code that writes or reads the value, and the
/// reference of the API is made from it. The conformance tests validate all replies of the product against it.
public indirect enum Schema: Sendable {
    /// An id: an integer in the first generation, decimal digits in the others.
    case id
    /// Decimal digits in every generation.
    case digits
    /// - Parameters:
    ///   - longest: the largest number of characters; nil if there is no limit of its own.
    ///   - example: a value that the reference shows.
    case text(longest: Int? = nil, example: String? = nil)
    /// A whole number.
    case integer(ClosedRange<Int>? = nil)
    /// A duration in seconds, with a fraction.
    case seconds
    /// True or false.
    case flag
    /// A time in UTC with three digits of a second.
    case time
    /// The path of a file, which begins with `/static/`.
    case path
    /// One of these texts.
    case choice([String])
    case list(Schema, atMost: Int? = nil)
    case object([Member])
    /// An object with a name and a page of its own in the reference.
    case entity(Entity)
    /// An entity of native clients that another service describes.
    case named(String)
    /// The value or null.
    case optional(Schema)
    case either([Schema])
    /// An object with a value for each of some keys.
    case map(Schema)
    /// An object with members that depend on something else, which the member's text names.
    case anyObject
    /// The bytes of a file in a multipart body.
    case file
    /// Values that differ between the generations.
    case generations(january2024: Schema, july2024: Schema)

    /// A text without a limit of its own.
    public static let text = Schema.text()
    /// A whole number from zero.
    public static let count = Schema.integer(0...Int.max)
    /// The place of a message in its room.
    public static let seq = Schema.integer(0...Int.max)

    /// A page of a list with a cursor.
    public static func page(of items: Schema) -> Schema {
        .object([
            .has("items", .list(items)),
            .has("next", .optional(.text), "The `cursor` of the next page; null on the last one."),
        ])
    }
}

extension Schema {
    /// A member of an object.
    public struct Member: Sendable {
        let name: String
        let schema: Schema
        let text: String
        let isRequired: Bool
        private(set) var forms = ClientProfile.Form.allCases

        /// A member that is always present.
        public static func has(_ name: String, _ schema: Schema, _ text: String = "") -> Member {
            Member(name: name, schema: schema, text: text, isRequired: true)
        }

        /// A member that may be absent or null.
        public static func may(_ name: String, _ schema: Schema, _ text: String = "") -> Member {
            Member(name: name, schema: schema, text: text, isRequired: false)
        }

        /// The same member for clients of these forms alone.
        public func only(_ forms: ClientProfile.Form...) -> Member {
            var copy = self
            copy.forms = forms
            return copy
        }
    }

    /// An object with a name.
    public struct Entity: Sendable {
        let name: String
        let text: String
        /// For objects that hold more than the entity.
        public let members: [Member]

        /// - Parameter text: a sentence.
        public init(_ name: String, _ text: String, _ members: [Member]) {
            self.name = name
            self.text = text
            self.members = members
        }
    }
}
