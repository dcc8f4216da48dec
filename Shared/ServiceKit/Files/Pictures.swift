internal import Contract
internal import Crypto
internal import EventLoop
public import Postgres
internal import Wire

/// The pictures that people upload for what a service has.
///
/// The database knows every picture that nothing refers to: an uploaded one from before its file is there until something
/// refers to it, a left one from the moment that it was left. So none stays behind, and none is removed that something
/// refers to, whoever fails or dies in between.
public struct Pictures: Sendable {
    /// Where they are kept.
    public let files: any FileStore
    private let unused: UnusedPictureStore
    private let signal = WakeSignal()

    /// What waits for a reply that nobody has brought to its end.
    private static let patrol = Duration.seconds(60)
    private static let batch = 100

    /// - Parameter table: where the service's triggers note what nothing refers to,
    ///   `path text primary key, due_at timestamptz not null`.
    public init(in files: any FileStore, unusedIn table: StaticString, of database: PostgresPool) {
        self.files = files
        unused = UnusedPictureStore(table, in: database)
    }

    /// The path under which clients know a file.
    public static func path(of name: String) -> String { "/static/" + name }

    /// Keeps an uploaded picture and runs `body` with its path, nil where none was sent. What nothing refers to behind it,
    /// be it this picture or the one before, is forgotten.
    public func keeping<Result>(
        _ file: UploadedFile?, in folder: String, _ body: (String?) async throws -> Result
    ) async throws -> Result {
        guard let file else { return try await body(nil) }
        let path = try await keep(file, in: folder)
        defer { signal.wake() }
        do {
            return try await body(path)
        } catch {
            // Something may refer to it all the same; then this changes nothing.
            try? await unused.makeDue(path)
            throw error
        }
    }

    /// Says that there may be pictures that nothing refers to any more.
    public func left() { signal.wake() }

    /// Removes pictures that nothing refers to, and uploads that a crash has cut off, until cancelled; to be run on a loop.
    public func sweep() async throws {
        guard let loop = EventLoop.current else { preconditionFailure("background work runs on a loop") }
        while true {
            try await files.dropAbandonedUploads()
            while try await removeUnused() == Self.batch {}
            try await signal.sleep(atMost: Self.patrol, on: loop)
        }
    }

    private func keep(_ file: UploadedFile, in folder: String) async throws -> String {
        guard let type = file.type, type.isImage else { throw Failure.invalid("The file is no picture.") }
        let name = "\(folder)/\(Hexadecimal.encode(SecureRandom.bytes(16).span)).\(type.suffix)"
        let path = Self.path(of: name)
        try await unused.insert(path)
        try await files.keep(file.upload, as: name)
        return path
    }

    private func removeUnused() async throws -> Int {
        try await unused.takeDue(atMost: Self.batch) { paths in
            try await files.remove(paths.map { String($0.dropFirst(Self.path(of: "").count)) })
        }
    }
}
