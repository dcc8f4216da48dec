internal import Contract
internal import Crypto
public import EventLoop
public import Postgres
internal import Wire

/// The pictures that users upload, such as portraits and covers, and the removal of unused ones.
///
/// A table lists every picture that nothing refers to: a new picture from before its file exists until a row refers to it,
/// and an old one from the moment its last reference goes. A replaced picture stays for the retention, because clients
/// keep its path; the service's triggers limit how many of one object stay. So no unused picture stays, and no used one is removed, even if
/// a process dies in between.
public struct Pictures: Sendable {
    /// The store of the files.
    public let files: any FileStore
    private let unused: UnusedPictureStore
    /// Nil makes no previews.
    private let previews: PicturePreviews?
    private let signal = WakeSignal()

    /// How often the table is read without a signal: for pictures that another process left unused.
    private static let pollInterval = Duration.seconds(60)
    private static let batch = 100

    /// The setting of the retention.
    public static let retentionKey = ConfigKey(
        "picture_retention", default: Duration.seconds(180 * 86_400),
        "How long a replaced picture can still be loaded. Clients keep the paths of pictures.")

    /// - Parameters:
    ///   - table: the table of unused pictures, which the service's triggers fill, with the columns
    ///     `path text primary key, due_at bigint not null, is_replaced boolean not null default false`.
    ///   - retention: how long replaced pictures stay.
    public init(
        in files: any FileStore, unusedIn table: StaticString, of database: PostgresPool, retention: Duration,
        previews: PicturePreviews?
    ) {
        self.files = files
        self.previews = previews
        unused = UnusedPictureStore(table, in: database, retention: retention)
    }

    /// The path of a file for clients.
    public static func path(of name: String) -> String { "/static/" + name }

    /// Stores an uploaded picture and runs `body` with its path, or with nil if no picture was sent. If `body`
    /// fails, the picture is removed.
    public func keeping<Result>(
        _ file: UploadedFile?, in folder: String, _ body: (String?) async throws -> Result
    ) async throws -> Result {
        guard let file else { return try await body(nil) }
        let path = try await keep(file, in: folder)
        defer { signal.wake() }
        do {
            return try await body(path)
        } catch {
            // The write may have committed all the same; a picture in use is not in the table, and this changes nothing.
            try? await unused.makeDue(path)
            throw error
        }
    }

    /// Removes unused pictures soon; call it after a reference was deleted.
    public func removeUnusedSoon() { signal.wake() }

    /// Removes unused pictures, and uploads that a crash cut off, until the task is cancelled.
    public func run(on loop: EventLoop) async throws {
        while true {
            try await files.dropAbandonedUploads()
            while try await removeUnused() == Self.batch {}
            try await signal.sleep(atMost: Self.pollInterval, on: loop)
        }
    }

    private func keep(_ file: UploadedFile, in folder: String) async throws -> String {
        guard let type = file.type, type.isImage else { throw Failure.invalid("The file is not a picture.") }
        let name = "\(folder)/\(Hexadecimal.encode(SecureRandom.bytes(16).span)).\(type.suffix)"
        let path = Self.path(of: name)
        try await unused.insert(path)
        try await files.keep(file.upload, as: name)
        try await addPreviews(of: name)
        return path
    }

    /// Makes and stores the previews of a picture. One that cannot be read has none.
    private func addPreviews(of name: String) async throws {
        guard let made = await previews?.make(of: name, in: files) else { return }
        for size in PreviewSize.allCases { try await files.keep(made.bytes(size), as: size.storeName(of: name)) }
    }

    private func removeUnused() async throws -> Int {
        try await unused.takeDue(atMost: Self.batch) { paths in
            let names = paths.map { String($0.dropFirst(Self.path(of: "").count)) }
            let previews = names.flatMap { name in PreviewSize.allCases.map { $0.storeName(of: name) } }
            try await files.remove(names + previews)
        }
    }
}
