internal import CSystem
public import EventLoop
internal import Glibc
internal import Wire

/// Files in a folder, local or mounted by several machines.
///
/// An upload is written under `.uploads`, synced and renamed, so that a name has either its whole content or none.
/// If the folder has a subfolder `.retired`, a removed file moves there, so that `deploy/restore --to` can bring it back.
public struct FolderFileStore: FileStore {
    private let root: String
    private let pool: BlockingPool

    private static let uploads = ".uploads"
    private static let retired = ".retired"
    /// The age in seconds at which no process can still be writing an upload.
    private static let abandonedAfter = 24 * 3600

    /// Opens the store and creates its folders.
    ///
    /// - Parameter folders: the first parts of the stored names.
    public init(root: String, folders: [String], pool: BlockingPool) throws {
        self.root = root
        self.pool = pool
        for folder in ["", Self.uploads] + folders {
            let path = "\(root)/\(folder)"
            guard mkdir(path, 0o750) == 0 || errno == EEXIST else {
                throw FileStoreError(operation: "make folder \(path)", code: errno)
            }
        }
    }

    public func begin() async throws -> FileUpload {
        let unique = UInt64.random(in: 0 ... .max)
        return try await FileUpload(creating: "\(root)/\(Self.uploads)/\(String(unique, radix: 36))", pool: pool)
    }

    public func keep(_ upload: FileUpload, as name: String) async throws {
        let target = try path(of: name)
        try await upload.finish()
        let source = upload.path
        try await pool.run {
            guard rename(source, target) == 0 else { throw FileStoreError(operation: "rename", code: errno) }
            try Self.syncFolder(of: target)
        }
        upload.keep()
    }

    public func open(_ name: String) async throws -> StoredFile? {
        let path = try path(of: name)
        return try await pool.run { try StoredFile(openedAt: path) }
    }

    public func read(_ name: String, from offset: Int, atMost count: Int) async throws -> FilePiece? {
        guard let stored = try await open(name) else { return nil }
        return try await piece(of: stored, from: offset, atMost: count)
    }

    /// Reads at most `count` bytes of an open file on the pool.
    func piece(of stored: StoredFile, from offset: Int, atMost count: Int) async throws -> FilePiece {
        try await pool.run {
            let wanted = max(0, min(count, stored.size - offset))
            var problem: Int32 = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
                while filled < wanted {
                    let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
                    let got = pread(stored.file.descriptor, rest.baseAddress, rest.count, off_t(offset + filled))
                    if got > 0 { filled += got } else if got == 0 { return }
                    if got < 0 && errno != EINTR {
                        problem = errno
                        return
                    }
                }
            }
            guard problem == 0 else { throw FileStoreError(operation: "read", code: problem) }
            return FilePiece(bytes: bytes, size: stored.size)
        }
    }

    public func remove(_ names: [String]) async throws {
        let files = try names.map { (path: try path(of: $0), retired: retiredPath(of: $0)) }
        try await pool.run {
            for file in files where rename(file.path, file.retired) != 0 {
                // Without the folder of retired files, they are deleted.
                guard errno == ENOENT else { throw FileStoreError(operation: "retire", code: errno) }
                guard unlink(file.path) == 0 || errno == ENOENT else {
                    throw FileStoreError(operation: "remove", code: errno)
                }
            }
        }
    }

    /// Where a file goes that is removed now: its name follows the milliseconds since 1970. Stored names never have a plus
    /// sign.
    private func retiredPath(of name: String) -> String {
        let parts = ["\(Timestamp.now.milliseconds)"] + name.split(separator: "/").map(String.init)
        return "\(root)/\(Self.retired)/" + parts.joined(separator: "+")
    }

    private func path(of name: String) throws -> String {
        try Self.check(name)
        return "\(root)/\(name)"
    }

    /// Requires the form of the names that services choose.
    static func check(_ name: String) throws(InvalidFileName) {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        let isOurs =
            parts.count == 2
            && parts.allSatisfy { part in
                !part.isEmpty && !part.hasPrefix(".") && part.utf8.allSatisfy(Self.isNameByte)
            }
        guard isOurs else { throw InvalidFileName() }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
        default: false
        }
    }

    private static func syncFolder(of path: String) throws {
        let folder = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        let descriptor = Glibc.open(String(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileStoreError(operation: "open folder", code: errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw FileStoreError(operation: "sync folder", code: errno) }
    }

    public func dropAbandonedUploads() async throws {
        let folder = "\(root)/\(Self.uploads)"
        try await pool.run { try Self.dropAbandoned(in: folder) }
    }

    private static func dropAbandoned(in folder: String) throws {
        guard let listing = opendir(folder) else { throw FileStoreError(operation: "list uploads", code: errno) }
        defer { closedir(listing) }
        while let entry = readdir(listing) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix("."), cs_file_age("\(folder)/\(name)") > abandonedAfter {
                unlink("\(folder)/\(name)")
            }
        }
    }
}
