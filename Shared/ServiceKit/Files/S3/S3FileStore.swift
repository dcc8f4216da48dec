internal import EventLoop
internal import HTTP
internal import Synchronization
internal import Wire

/// Files in a bucket of S3, or of a store that speaks its protocol, with copies of the latest ones on the local disk.
///
/// A file that is still in the local folder is read from there, so a service can change from a folder to a bucket, or
/// back, while `deploy/files` copies. Uploads are collected in the folder and sent when they are kept. Memory holds one
/// piece of a file at a time.
final class S3FileStore: FileStore {
    private let client: S3Client
    private let loops: EventLoopGroup
    private let folder: FolderFileStore
    private let cache: FileCache
    private let direct: DirectReads?
    /// The callers that wait for another one to load the same file, and share the outcome.
    private let loading = Mutex<[String: [UnsafeContinuation<Loading, any Error>]]>([:])

    /// How another caller has ended loading a file.
    private enum Loading: Sendable {
        /// All get the one open file, which is read at offsets; nil if there is none.
        case ended(StoredFile?)
        /// The caller went away before, so that one of the others loads the file.
        case abandoned
    }

    /// Larger files travel in pieces of this size. S3 requires at least 5 MiB.
    static let pieceSize = 8 << 20
    /// How often an object is completed, at most.
    private static let completions = 3
    /// Deletions under way at once; a loop has eight connections to the store. The removal of a hundred pictures runs within a
    /// transaction, and Postgres ends a session that is idle in one for 15 seconds.
    private static let deletionsAtOnce = 6

    /// - Parameters:
    ///   - loops: those of the callers.
    ///   - folder: takes uploads, and is read for files that are not in the bucket yet.
    ///   - cache: the copies.
    ///   - direct: how clients read files from the bucket themselves; nil if they do not.
    init(
        _ client: S3Client, on loops: EventLoopGroup, folder: FolderFileStore, cache: FileCache,
        direct: DirectReads? = nil
    ) {
        self.client = client
        self.loops = loops
        self.folder = folder
        self.cache = cache
        self.direct = direct
    }

    func begin() async throws -> FileUpload { try await folder.begin() }

    func dropAbandonedUploads() async throws {
        try await folder.dropAbandonedUploads()
        try await cache.removeOld()
    }

    func keep(_ upload: FileUpload, as name: String) async throws {
        try FolderFileStore.check(name)
        try await upload.flush()
        let type = FileType(suffix: name.split(separator: ".").last ?? "")?.mediaType ?? "application/octet-stream"
        if upload.size <= Self.pieceSize {
            let bytes = try await upload.piece(at: 0, count: upload.size)
            try await client.put(bytes, digest: upload.digest, type: type, as: name)
        } else {
            try await keepInParts(upload, as: name, type: type)
        }
        _ = try await cache.adopt(upload, as: name)
    }

    private func keepInParts(_ upload: FileUpload, as name: String, type: String) async throws {
        let id = try await client.beginParts(of: name, digest: upload.digest, type: type)
        do {
            var tags: [String] = []
            for offset in stride(from: 0, to: upload.size, by: Self.pieceSize) {
                let bytes = try await upload.piece(at: offset, count: min(Self.pieceSize, upload.size - offset))
                tags.append(try await client.putPart(tags.count + 1, of: name, in: id, bytes))
            }
            try await complete(id, of: name, tags: tags)
        } catch {
            // The reply to the completion may have been lost after it took effect.
            let piece = try? await client.piece(of: name, at: 0, count: 1)
            if let digest = piece?.digest, digest == upload.hexadecimalDigest { return }
            await dropParts(of: name, in: id)
            throw error
        }
    }

    /// Repeats a completion that a busy store refuses after its status 200. The client repeats those with another status itself.
    private func complete(_ upload: String, of name: String, tags: [String]) async throws {
        var (attempt, backoff) = (1, Backoff(first: .milliseconds(400), limit: .seconds(4)))
        while true {
            do {
                return try await client.complete(upload, of: name, tags: tags)
            } catch let error as S3Error where error.status == 200 && error.isPassing && attempt < Self.completions {
                try await loops.nearest.sleep(for: backoff.next())
                attempt += 1
            }
        }
    }

    /// Drops the parts in a task of its own: if the caller's is cancelled, because its client went away, they would stay in the bucket
    /// for ever.
    private func dropParts(of name: String, in upload: String) async {
        await Task(executorPreference: loops.nearest) { [client] in
            _ = try? await client.abort(upload, of: name)
        }.value
    }

    func open(_ name: String) async throws -> StoredFile? {
        try FolderFileStore.check(name)
        while true {
            if let copy = try await cache.open(name) { return copy }
            if let file = try await folder.open(name) { return file }
            switch try await loadingByAnother(name) {
            case .ended(let file)?: return file
            case .abandoned?: continue
            case nil: break
            }
            do {
                let file = try await load(name)
                endLoading(name, .success(.ended(file)))
                return file
            } catch {
                endLoading(name, Task.isCancelled ? .success(.abandoned) : .failure(error))
                throw error
            }
        }
    }

    func read(_ name: String, from offset: Int, atMost count: Int) async throws -> FilePiece? {
        guard let stored = try await open(name) else { return nil }
        return try await folder.piece(of: stored, from: offset, atMost: count)
    }

    func remove(_ names: [String]) async throws {
        for name in names { try FolderFileStore.check(name) }
        // `deploy/files` may be copying a file, and checks afterwards whether the original is gone. So the original is deleted first: that
        // in the folder for a copy to the bucket, and that in the bucket for a copy to the folder.
        try await folder.remove(names)
        try await deleteObjects(names)
        try await folder.remove(names)
        try await cache.remove(names)
    }

    private func deleteObjects(_ names: [String]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, name) in names.enumerated() {
                if index >= Self.deletionsAtOnce { try await group.next() }
                group.addTask { [client] in try await client.delete(name) }
            }
            try await group.waitForAll()
        }
    }

    func directURL(of name: String, type: String, disposition: String) async throws -> DirectURL? {
        guard let direct else { return nil }
        try FolderFileStore.check(name)
        // A file of the folder may not be in the bucket yet.
        guard try await folder.open(name) == nil, try await isInBucket(name) else { return nil }
        return direct.url(of: name, type: type, disposition: disposition)
    }

    private func isInBucket(_ name: String) async throws -> Bool {
        if try await cache.open(name) != nil { return true }
        return try await client.piece(of: name, at: 0, count: 1) != nil
    }

    /// Waits until another caller that loads the file has ended; nil if the caller itself is to load it.
    private func loadingByAnother(_ name: String) async throws -> Loading? {
        let isFirst = loading.withLock { loading in
            guard loading[name] == nil else { return false }
            loading[name] = []
            return true
        }
        guard !isFirst else { return nil }
        return try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Loading, any Error>) in
            let waits = loading.withLock { loading in
                guard loading[name] != nil else { return false }
                loading[name]?.append(continuation)
                return true
            }
            if !waits { continuation.resume(returning: .abandoned) }
        }
    }

    private func endLoading(_ name: String, _ result: Result<Loading, any Error>) {
        let waiting = loading.withLock { $0.removeValue(forKey: name) } ?? []
        for continuation in waiting { continuation.resume(with: result) }
    }

    /// Copies a file from the bucket piece by piece, all of one version, and compares its digest.
    private func load(_ name: String) async throws -> StoredFile? {
        guard var piece = try await client.piece(of: name, at: 0, count: Self.pieceSize) else { return nil }
        let (size, tag, digest) = (piece.size, piece.tag, piece.digest)
        let copy = try await folder.begin()
        try await copy.write(piece.bytes.span.bytes)
        while copy.size < size {
            guard
                let next = try await client.piece(of: name, at: copy.size, count: Self.pieceSize, tag: tag),
                !next.bytes.isEmpty
            else { throw S3Error(operation: "GET", status: 200, code: "EndsEarly") }
            piece = next
            try await copy.write(piece.bytes.span.bytes)
        }
        try await copy.flush()
        guard digest == nil || digest == copy.hexadecimalDigest else {
            throw S3Error(operation: "GET", status: 200, code: "BadDigest")
        }
        return try await cache.adopt(copy, as: name)
    }
}
