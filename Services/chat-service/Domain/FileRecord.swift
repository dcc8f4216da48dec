import ServiceKit
import Wire

/// The record of a message's file.
struct FileRecord: Sendable, Equatable {
    /// Unique: 32 hexadecimal digits and the suffix of the file type.
    let name: String
    let folder: String
    let workspace: WorkspaceID
    let room: RoomID
    let displayName: String
    let size: Int64

    /// The name in the file store.
    var storeName: String { "\(folder)/\(name)" }

    /// The name of a preview in the file store.
    func storeName(_ size: PreviewSize) -> String {
        size.storeName(of: storeName)
    }

    /// Whether it is of a type that has previews.
    var isPicture: Bool { Self.isPicture(path: name) }

    static func isPicture(path: String) -> Bool {
        FileType(suffix: path.split(separator: ".").last ?? "")?.isImage == true
    }

    /// The path in replies: the percent-encoded display name, an underscore and the unique name.
    var path: String { "/static/\(folder)/\(PercentEncoding.strict.encode(displayName))_\(name)" }

    /// The file name that a browser offers for saving.
    var title: String {
        let suffix = name.drop { $0 != "." }.dropFirst()
        guard let type = FileType(suffix: suffix) else { return name }
        // The display name may end in the suffix if a client repeated it.
        return type.title(of: type.stem(of: displayName))
    }

    /// The unique name in a path; it does not depend on how often the rest was percent-encoded.
    static func name(inPath path: String) -> String? {
        path.lastIndex(of: "_").map { String(path[path.index(after: $0)...]) }
    }
}
