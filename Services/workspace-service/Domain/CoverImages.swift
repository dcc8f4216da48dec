import ServiceKit
import Wire

/// Stores the cover images of workspaces and channels.
struct CoverImages: Sendable {
    enum Folder: String, CaseIterable, Sendable {
        case workspaces, channels
    }

    let pictures: Pictures

    /// Stores an uploaded image and runs `body` with its path, or with nil without an upload.
    func keeping<Result>(
        _ file: UploadedFile?, in folder: Folder, _ body: (String?) async throws -> Result
    ) async throws -> Result {
        try await pictures.keeping(file, in: folder.rawValue, body)
    }

    /// Stores the default image of system workspaces, a grey square, and returns its path.
    func storeDefault() async throws -> String {
        let name = "\(Folder.workspaces.rawValue)/default.png"
        if try await pictures.files.open(name) == nil {
            try await pictures.files.keep(Self.greySquare, as: name)
        }
        return Pictures.path(of: name)
    }

    /// Starts the removal of images that no workspace or channel refers to.
    func removeUnused() { pictures.removeUnusedSoon() }

    private static let greySquare: [UInt8] =
        Base64.decode(
            """
            iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAAAAACPAi4CAAAAKklEQVR42u3MQREAAAwCIPunMaIh9ttBANKjCAQCgUAg\
            EAgEAoFAIPgeDE0rAKYtm3lkAAAAAElFTkSuQmCC
            """.utf8.span,
            .standard) ?? []
}
