import ServiceKit
import Wire

/// A stored file of a message.
struct FileRecord: Sendable, Equatable {
    /// Unique: 32 hexadecimal digits and the suffix of its type.
    let name: String
    let folder: String
    let room: RoomID
    let displayName: String
    let size: Int64

    /// What the file store calls it.
    var storeName: String { "\(folder)/\(name)" }

    /// What clients call it: the display name, percent-encoded, before the last underscore, and the unique name behind.
    var path: String { "/static/\(folder)/\(PercentEncoding.strict.encode(displayName))_\(name)" }

    /// What someone who saves it is offered as its name.
    var title: String {
        let suffix = name.drop { $0 != "." }.dropFirst()
        return FileType(suffix: suffix)?.title(of: displayName) ?? name
    }

    /// The unique name in a path, however often the rest has been encoded.
    static func name(inPath path: String) -> String? {
        path.lastIndex(of: "_").map { String(path[path.index(after: $0)...]) }
    }
}
