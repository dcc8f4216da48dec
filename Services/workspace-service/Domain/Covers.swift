import Contract
import Crypto
import ServiceKit
import Wire

/// The pictures of workspaces and channels.
struct Covers: Sendable {
    enum Folder: String, CaseIterable, Sendable {
        case workspaces, channels
    }

    let files: any FileStore

    /// Keeps an uploaded picture and returns its path; nil where none was sent.
    func keep(_ file: UploadedFile?, in folder: Folder) async throws -> String? {
        guard let file else { return nil }
        guard let type = file.type, type.isImage else { throw Failure.invalid("The file is no picture.") }
        let name = "\(folder.rawValue)/\(Hexadecimal.encode(SecureRandom.bytes(16).span)).\(type.suffix)"
        try await files.keep(file.upload, as: name)
        return "/static/" + name
    }

    /// Forgets a picture that nothing refers to.
    func discard(_ path: String?) async {
        guard let path else { return }
        try? await files.remove([String(path.dropFirst("/static/".count))])
    }

    /// The picture of workspaces that the system made: grey.
    func keepDefault() async throws -> String {
        let name = "\(Folder.workspaces.rawValue)/default.png"
        if try await files.open(name) == nil {
            let upload = try await files.begin()
            try await upload.write(Self.greySquare.span.bytes)
            try await files.keep(upload, as: name)
        }
        return "/static/" + name
    }

    private static let greySquare: [UInt8] =
        Base64.decode(
            """
            iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAAAAACPAi4CAAAAKklEQVR42u3MQREAAAwCIPunMaIh9ttBANKjCAQCgUAg\
            EAgEAoFAIPgeDE0rAKYtm3lkAAAAAElFTkSuQmCC
            """.utf8.span,
            .standard) ?? []
}
