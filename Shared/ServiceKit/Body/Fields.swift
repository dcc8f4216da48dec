public import Contract
public import Wire

/// The fields and files of a call's body, alike whether it came as JSON, as a form or in parts.
///
/// Text that comes from outside is checked for its type only; rules of length and form belong to the domain.
public struct Fields: Sendable {
    /// What a field holds. Forms know only text.
    enum Value: Sendable {
        case text(String)
        case null
        /// A JSON value of another kind than text.
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

    /// A text that must be there.
    public func text(_ name: String) throws(Failure) -> String {
        guard let text = try optionalText(name) else { throw .invalid("\(name) is required.") }
        return text
    }

    /// A text; nil where it is absent or null.
    public func optionalText(_ name: String) throws(Failure) -> String? {
        switch values[name] {
        case nil, .null: return nil
        case .text(let text): return try Self.withoutNUL(text, name)
        case .other: throw .invalid("\(name) must be a text.")
        }
    }

    /// A text that one client's string interpolation writes as Swift prints an optional one; nil where it is absent or null.
    public func interpolatedText(_ name: String) throws(Failure) -> String? {
        let text = try optionalText(name)
        guard unwrapsOptional, let text else { return text }
        return try Self.withoutNUL(PrintedOptional.text(of: text), name)
    }

    /// Whether the field is there, be it null.
    public func contains(_ name: String) -> Bool { values[name] != nil }

    /// A whole number, as such or as text.
    public func number(_ name: String) throws(Failure) -> Int {
        switch values[name] {
        case .other(let value): if let number = value.int { return number }
        case .text(let text): if let number = Int(text) { return number }
        case nil, .null: break
        }
        throw .invalid("\(name) must be a whole number.")
    }

    /// An id, as text or as an integer: both generations' clients write it.
    public func id<Subject>(_ name: String) throws(Failure) -> ID<Subject> {
        switch values[name] {
        case .text(let text): if let id = ID<Subject>(text) { return id }
        case .other(let value): if let number = value.int, number > 0 { return ID(Int64(number)) }
        case nil, .null: break
        }
        throw .invalid("\(name) must be an id.")
    }

    /// The file of this name; nil where there is none or it is empty, which means unchanged.
    public func file(_ name: String) -> UploadedFile? { files(name).first }

    /// The files of this name, in order, without empty ones.
    public func files(_ name: String) -> [UploadedFile] { uploads.filter { $0.field == name && $0.upload.size > 0 } }

    private static func withoutNUL(_ text: String, _ name: String) throws(Failure) -> String {
        guard !text.utf8.contains(0) else { throw .invalid("\(name) holds a NUL character.") }
        return text
    }
}

/// A file of a call's body.
public struct UploadedFile: Sendable {
    /// The name of the form's field.
    public let field: String
    /// What the client calls the file; never to be trusted for its type or as a path.
    public let name: String
    /// The content, for a file store to keep.
    public let upload: FileUpload

    /// The type that the first bytes tell; nil where it is none that is accepted.
    public var type: FileType? { FileType(head: upload.head, name: name) }
}
