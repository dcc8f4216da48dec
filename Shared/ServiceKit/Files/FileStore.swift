public import EventLoop
internal import Glibc

/// The files of a service. The content of a name never changes, so clients can cache replies for ever.
///
/// The service chooses the names: `<folder>/<unique>.<suffix>` in `[A-Za-z0-9._-]`, without text of a client.
public protocol FileStore: Sendable {
    /// Begins an upload, which is invisible until it is kept.
    func begin() async throws -> FileUpload
    /// Stores a finished upload as `name`. Once this returns, the file survives a crash.
    func keep(_ upload: FileUpload, as name: String) async throws
    /// Opens a file for a reply; nil if there is none.
    func open(_ name: String) async throws -> StoredFile?
    /// Reads at most `count` bytes of a file from an offset; nil if there is no such file.
    func read(_ name: String, from offset: Int, atMost count: Int) async throws -> FilePiece?
    /// A URL of the store itself that reads a file for a while; nil if clients are to read it from the service, or if there is
    /// no such file.
    func directURL(of name: String, type: String, disposition: String) async throws -> DirectURL?
    /// Deletes files; a missing file is not an error.
    func remove(_ names: [String]) async throws
    /// Deletes uploads that a crash left behind: those too old to be in progress. Deletes copies that are too old to be used as
    /// well.
    func dropAbandonedUploads() async throws
}

extension FileStore {
    public func directURL(of name: String, type: String, disposition: String) async throws -> DirectURL? { nil }

    /// Stores bytes as `name`.
    public func keep(_ bytes: [UInt8], as name: String) async throws {
        let upload = try await begin()
        try await upload.write(bytes.span.bytes)
        try await keep(upload, as: name)
    }
}

/// A URL with which anybody reads a file from where it is stored, without the service, until it expires.
public struct DirectURL: Sendable {
    public let url: String
    public let lifetime: Duration
}

/// A stored file, open for reading.
public struct StoredFile: Sendable {
    /// The open descriptor.
    public let file: OpenFile
    /// In bytes.
    public let size: Int

    /// Opens the file at a path; nil if there is none. It blocks, so call it on a pool.
    init?(openedAt path: String) throws(FileStoreError) {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            // No file can have a name that is too long.
            if errno == ENOENT || errno == ENAMETOOLONG { return nil }
            throw FileStoreError(operation: "open", code: errno)
        }
        file = OpenFile(descriptor: descriptor)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileStoreError(operation: "stat", code: errno) }
        size = Int(status.st_size)
    }
}

/// A part of a file.
public struct FilePiece: Sendable {
    public let bytes: [UInt8]
    /// The size of the whole file, in bytes.
    public let size: Int
}

/// The name does not have the form that the store requires.
public struct InvalidFileName: Error {}
