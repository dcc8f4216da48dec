import Contract
import Crypto
import EventLoop
import ServiceKit
import Wire

/// The pictures of workspaces and channels.
///
/// The database knows every picture that nothing refers to: an uploaded one from before its file is there
/// until something refers to it, a left one from the moment that it was left. So none stays behind,
/// whoever fails or dies in between.
struct Covers: Sendable {
    enum Folder: String, CaseIterable, Sendable {
        case workspaces, channels
    }

    let files: any FileStore
    let unused: UnusedCoverStore
    let signal: WakeSignal

    /// What waits for a reply that nobody has brought to its end.
    private static let patrol = Duration.seconds(60)
    private static let batch = 100

    /// Keeps an uploaded picture and runs `body` with its path, nil where none was sent.
    /// When `body` does not refer to it in the end, it is forgotten.
    func keeping<Result>(
        _ file: UploadedFile?, in folder: Folder, _ body: (String?) async throws -> Result
    ) async throws -> Result {
        guard let path = try await keep(file, in: folder) else { return try await body(nil) }
        do {
            return try await body(path)
        } catch {
            try? await unused.makeDue(path)
            signal.wake()
            throw error
        }
    }

    /// Removes pictures that nothing refers to, until cancelled.
    func sweep() async throws {
        guard let loop = EventLoop.current else { preconditionFailure("background work runs on a loop") }
        while true {
            while try await removeUnused() == Self.batch {}
            try await signal.sleep(atMost: Self.patrol, on: loop)
        }
    }

    /// Says that there may be a picture that nothing refers to any more.
    func left() { signal.wake() }

    private func keep(_ file: UploadedFile?, in folder: Folder) async throws -> String? {
        guard let file else { return nil }
        guard let type = file.type, type.isImage else { throw Failure.invalid("The file is no picture.") }
        let name = "\(folder.rawValue)/\(Hexadecimal.encode(SecureRandom.bytes(16).span)).\(type.suffix)"
        let path = Self.path(of: name)
        try await unused.insert(path)
        try await files.keep(file.upload, as: name)
        return path
    }

    private func removeUnused() async throws -> Int {
        try await unused.takeDue(atMost: Self.batch) { paths in
            try await files.remove(paths.map(Self.name(of:)))
        }
    }

    private static func path(of name: String) -> String { "/static/" + name }

    private static func name(of path: String) -> String { String(path.dropFirst("/static/".count)) }

    /// The picture of workspaces that the system made: grey.
    func keepDefault() async throws -> String {
        let name = "\(Folder.workspaces.rawValue)/default.png"
        if try await files.open(name) == nil {
            let upload = try await files.begin()
            try await upload.write(Self.greySquare.span.bytes)
            try await files.keep(upload, as: name)
        }
        return Self.path(of: name)
    }

    private static let greySquare: [UInt8] =
        Base64.decode(
            """
            iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAAAAACPAi4CAAAAKklEQVR42u3MQREAAAwCIPunMaIh9ttBANKjCAQCgUAg\
            EAgEAoFAIPgeDE0rAKYtm3lkAAAAAElFTkSuQmCC
            """.utf8.span,
            .standard) ?? []
}
