public import Contract
public import Wire

/// The fields and files of a call's body: JSON, a form or multipart, read in the same way.
///
/// Only the types of fields are checked here; rules for length and form belong to the domain.
public struct Fields: Sendable {
    /// The value of a field. Forms have only text.
    enum Value: Sendable {
        case text(String)
        case null
        /// A JSON value that is not text.
        case other(JSONValue)
    }

    private let values: [String: Value]
    private let uploads: [UploadedFile]
    private let unwrapsOptional: Bool

    init(_ values: [String: Value], uploads: [UploadedFile] = [], unwrapsOptional: Bool = false) {
        self.values = values
        self.uploads = uploads
        self.unwrapsOptional = unwrapsOptional
    }

    /// A required text.
    public func text(_ name: String) throws(Failure) -> String {
        guard let text = try optionalText(name) else { throw .invalid("\(name) is required.") }
        return text
    }

    /// A text; nil if it is absent or null.
    public func optionalText(_ name: String) throws(Failure) -> String? {
        switch values[name] {
        case nil, .null: return nil
        case .text(let text): return try Self.withoutNUL(text, name)
        case .other: throw .invalid("\(name) must be a text.")
        }
    }

    /// A text; nil if it is absent or null. One client sends `Optional("text")`, which is unwrapped for its profile.
    public func interpolatedText(_ name: String) throws(Failure) -> String? {
        let text = try optionalText(name)
        guard unwrapsOptional, let text else { return text }
        return try Self.withoutNUL(OptionalDescription.unwrap(text), name)
    }

    /// A list of at most `limit` texts.
    public func texts(_ name: String, atMost limit: Int) throws(Failure) -> [String] {
        guard case .other(let value) = values[name], let elements = value.elements else {
            throw .invalid("\(name) must be a list of texts.")
        }
        var texts: [String] = []
        for element in elements {
            guard let text = element.string, texts.count < limit else {
                throw .invalid("\(name) must be a list of at most \(limit) texts.")
            }
            texts.append(try Self.withoutNUL(text, name))
        }
        return texts
    }

    /// Whether the field is present and not null. Some clients send null instead of leaving a field out.
    public func hasValue(_ name: String) -> Bool {
        switch values[name] {
        case nil, .null: false
        case .text, .other: true
        }
    }

    /// Whether the field is present; it may be null, where null takes a value away.
    public func contains(_ name: String) -> Bool { values[name] != nil }

    /// A whole number, sent as a number or as text.
    public func number(_ name: String) throws(Failure) -> Int {
        switch values[name] {
        case .other(let value): if let number = value.int { return number }
        case .text(let text): if let number = Int(text) { return number }
        case nil, .null: break
        }
        throw .invalid("\(name) must be a whole number.")
    }

    /// A truth value, sent as such or as text; nil if it is absent or null.
    public func optionalFlag(_ name: String) throws(Failure) -> Bool? {
        switch values[name] {
        case .other(let value): if let flag = value.bool { return flag }
        case .text(let text): if let flag = Bool(text) { return flag }
        case nil, .null: return nil
        }
        throw .invalid("\(name) must be true or false.")
    }

    /// An id, sent as text or as an integer: the client generations differ.
    public func id<Subject>(_ name: String) throws(Failure) -> ID<Subject> {
        switch values[name] {
        case .text(let text): if let id = ID<Subject>(text) { return id }
        case .other(let value): if let number = value.int, number > 0 { return ID(Int64(number)) }
        case nil, .null: break
        }
        throw .invalid("\(name) must be an id.")
    }

    /// The file of this name; nil if it is missing or empty, which means "unchanged".
    public func file(_ name: String) -> UploadedFile? { files(name).first }

    /// The files of this name in order, without empty files.
    public func files(_ name: String) -> [UploadedFile] { uploads.filter { $0.field == name && $0.upload.size > 0 } }

    private static func withoutNUL(_ text: String, _ name: String) throws(Failure) -> String {
        guard !text.utf8.contains(0) else { throw .invalid("\(name) contains a NUL character.") }
        return text
    }
}
