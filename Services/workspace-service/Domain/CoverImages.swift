import ServiceKit
import Wire

/// The pictures of workspaces and channels.
struct Covers: Sendable {
    enum Folder: String, CaseIterable, Sendable {
        case workspaces, channels
    }

    let pictures: Pictures

    /// Keeps an uploaded picture and runs `body` with its path, nil where none was sent.
    func keeping<Result>(
        _ file: UploadedFile?, in folder: Folder, _ body: (String?) async throws -> Result
    ) async throws -> Result {
        try await pictures.keeping(file, in: folder.rawValue, body)
    }

    /// The picture of workspaces that the system made: grey.
    func keepDefault() async throws -> String {
        let name = "\(Folder.workspaces.rawValue)/default.png"
        if try await pictures.files.open(name) == nil {
            let upload = try await pictures.files.begin()
            try await upload.write(Self.greySquare.span.bytes)
            try await pictures.files.keep(upload, as: name)
        }
        return Pictures.path(of: name)
    }

    private static let greySquare: [UInt8] =
        Base64.decode(
            """
            iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAAAAACPAi4CAAAAKklEQVR42u3MQREAAAwCIPunMaIh9ttBANKjCAQCgUAg\
            EAgEAoFAIPgeDE0rAKYtm3lkAAAAAElFTkSuQmCC
            """.utf8.span,
            .standard) ?? []
}
