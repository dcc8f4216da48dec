internal import CSystem
internal import EventLoop
internal import Glibc
internal import Synchronization

/// Copies of stored files on the local disk, so that a file is loaded from the object store once. The least recently used
/// ones go when the copies exceed the limit.
///
/// A copy that somebody reads stays readable after its removal. A missing copy is not an error: the file is loaded again. An old copy is
/// loaded again too, because another instance may have removed the file.
final class FileCache: Sendable {
    private struct Entry {
        let size: Int
        let madeAt: UInt64
        var lastUse: UInt64
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var bytes = 0

        /// Forgets an entry; returns whether there was one.
        @discardableResult
        mutating func remove(_ name: String) -> Bool {
            guard let entry = entries.removeValue(forKey: name) else { return false }
            bytes -= entry.size
            return true
        }
    }

    private let folder: String
    private let limit: Int
    private let lifetime: UInt64
    private let pool: BlockingPool
    private let state = Mutex(State())

    /// Makes the folder, or empties it: the last use of copies from an earlier process is unknown.
    ///
    /// - Parameters:
    ///   - limit: bytes of all copies; one file more may be there for a moment.
    ///   - lifetime: how long a copy is used.
    init(folder: String, limit: Int, lifetime: Duration = .seconds(3600), pool: BlockingPool) throws {
        self.folder = folder
        self.limit = limit
        self.lifetime = lifetime.wholeNanoseconds
        self.pool = pool
        guard mkdir(folder, 0o750) == 0 || errno == EEXIST else {
            throw FileStoreError(operation: "make folder \(folder)", code: errno)
        }
        try Self.empty(folder)
    }

    /// Deletes the copies in a folder; without the folder there are none.
    static func empty(_ folder: String) throws {
        guard let listing = opendir(folder) else {
            if errno == ENOENT { return }
            throw FileStoreError(operation: "list cache", code: errno)
        }
        defer { closedir(listing) }
        while let entry = readdir(listing) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { unlink("\(folder)/\(name)") }
        }
    }

    /// The bytes of all copies.
    var size: Int { state.withLock(\.bytes) }

    /// Opens the copy of a file; nil if there is none.
    func open(_ name: String) async throws -> StoredFile? {
        let now = EventLoop.preciseNow
        let isFresh = state.withLock { state in
            state.entries[name]?.lastUse = now
            return state.entries[name].map { now < $0.madeAt + lifetime }
        }
        guard let isFresh else { return nil }
        guard isFresh else {
            try await remove([name])
            return nil
        }
        let path = path(of: name)
        return try await pool.run { try StoredFile(openedAt: path) }
    }

    /// Moves a finished file into the cache and opens it.
    func adopt(_ upload: FileUpload, as name: String) async throws -> StoredFile {
        let (source, target) = (upload.path, path(of: name))
        let stored = try await pool.run {
            guard let stored = try StoredFile(openedAt: source) else {
                throw FileStoreError(operation: "open", code: ENOENT)
            }
            guard rename(source, target) == 0 else { throw FileStoreError(operation: "rename", code: errno) }
            return stored
        }
        upload.keep()
        try await note(name, stored.size)
        return stored
    }

    /// Removes the copy of a deleted file.
    func remove(_ names: [String]) async throws {
        let known = state.withLock { state in names.filter { state.remove($0) } }
        try await unlinkAll(known)
    }

    /// Removes the copies that are too old to be used. Another instance may have removed their files, and then nobody asks for
    /// these copies again.
    func removeOld() async throws {
        let now = EventLoop.preciseNow
        let old = state.withLock { state -> [String] in
            state.entries.filter { now >= $0.value.madeAt + lifetime }.map(\.key)
        }
        try await remove(old)
    }

    private func note(_ name: String, _ size: Int) async throws {
        let limit = limit
        let surplus = state.withLock { state -> [String] in
            state.remove(name)
            let now = EventLoop.preciseNow
            state.entries[name] = Entry(size: size, madeAt: now, lastUse: now)
            state.bytes += size
            guard state.bytes > limit else { return [] }
            // Frees a tenth more, so that not every new file causes another sort.
            var removed: [String] = []
            for (name, _) in state.entries.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
                guard state.bytes > limit - limit / 10 else { break }
                state.remove(name)
                removed.append(name)
            }
            return removed
        }
        try await unlinkAll(surplus)
    }

    private func unlinkAll(_ names: [String]) async throws {
        guard !names.isEmpty else { return }
        let paths = names.map(path(of:))
        try await pool.run { for path in paths { unlink(path) } }
    }

    /// Stored names never have a plus sign.
    private func path(of name: String) -> String {
        "\(folder)/" + name.split(separator: "/").joined(separator: "+")
    }
}
