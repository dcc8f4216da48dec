import Contract
import Crypto
import ServiceKit
import Wire

/// The picture of a reported user or workspace. Its copy is a file of the report, as those of reported messages are.
struct ReportPicture: Sendable, Equatable {
    enum State: String, Sendable {
        /// The copy can be read.
        case kept
        /// The owner's service has not been read yet, or does not answer.
        case waiting
        /// There was nothing to copy any more, or nothing that is a picture.
        case lost
    }

    /// Unique: that of the copy in the file store, without its folder.
    let name: String
    let isCover: Bool
    let state: State

    /// The folder of the copies, and of files of channels: moderators read both by the same route.
    static let folder = Attachments.Folder.channelChats.rawValue

    /// What a browser offers for saving, without the suffix.
    static func displayName(isCover: Bool) -> String { isCover ? "cover" : "portrait" }

    /// The path of the copy; nil without one.
    var path: String? {
        guard state == .kept else { return nil }
        return "/static/\(Self.folder)/\(Self.displayName(isCover: isCover))_\(name)"
    }

    /// A new name for the copy of the picture at a path; nil for a path that is no picture of ours.
    static func newName(forPath path: String) -> String? {
        guard path.hasPrefix(Pictures.path(of: "")), let type = FileType(suffix: path.split(separator: ".").last ?? ""),
            type.isImage
        else { return nil }
        return Hexadecimal.encode(SecureRandom.bytes(16).span) + "." + type.suffix
    }
}

/// A picture that is to be copied.
struct PendingReportPicture: Sendable {
    let workspace: WorkspaceID
    let report: ReportID
    /// The path at the service that owns the picture.
    let path: String
    let isCover: Bool
    /// Of the copy, without its folder.
    let name: String
    /// How often it could not be read.
    var attempts = 0

    var storeName: String { "\(ReportPicture.folder)/\(name)" }
}
