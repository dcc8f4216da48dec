public import EventLoop

/// Where a service keeps its files: content never changes under a name, so replies can be cached for ever.
///
/// Names are the service's own, of the form `<folder>/<unique>.<suffix>` in `[A-Za-z0-9._-]`;
/// no client's text is in them.
public protocol FileStore: Sendable {
    /// Begins an upload; nothing is visible until it is kept.
    func begin() async throws -> FileUpload
    /// Makes a finished upload the content of `name`; once this returns, a crash does not lose it.
    func keep(_ upload: FileUpload, as name: String) async throws
    /// The file, for a reply; nil where there is none.
    func open(_ name: String) async throws -> StoredFile?
    /// Deletes what is there; a missing file is no error.
    func remove(_ names: [String]) async throws
    /// Drops uploads that a crash has left behind, so long ago that none of them can still be under way.
    func dropAbandonedUploads() async throws
}

/// A stored file that is open for reading.
public struct StoredFile: Sendable {
    /// Holds the descriptor.
    public let file: OpenFile
    /// In bytes.
    public let size: Int
}

/// A name is not of the store's form.
public struct InvalidFileName: Error {}
