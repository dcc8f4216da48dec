internal import Crypto
internal import EventLoop
internal import Glibc
internal import Wire

/// A file on its way in: written to a temporary file as it comes, which goes when nobody keeps it.
///
/// - Note: `@unchecked Sendable` because it belongs to the one request that fills it, whose calls follow each other.
public final class FileUpload: @unchecked Sendable {
    /// Where the bytes are for now.
    let path: String
    /// Bytes written so far.
    public private(set) var size = 0
    /// The first bytes, which tell the type.
    public private(set) var head: [UInt8] = []

    private let file: OpenFile
    private let pool: BlockingPool
    private var waiting: [UInt8] = []
    private var hash: SHA256? = SHA256()
    private var knownDigest: [UInt8] = []
    private var isKept = false

    private static let blockSize = 256 * 1024

    init(creating path: String, pool: BlockingPool) async throws {
        let descriptor = try await pool.run {
            let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o640)
            guard descriptor >= 0 else { throw FileStoreError(operation: "create", code: errno) }
            return descriptor
        }
        self.path = path
        self.pool = pool
        file = OpenFile(descriptor: descriptor)
    }

    deinit { if !isKept { unlink(path) } }

    /// Adds bytes; they reach the disk in blocks.
    public func write(_ bytes: RawSpan) async throws {
        size += bytes.byteCount
        bytes.withUnsafeBytes { bytes in
            if head.count < FileType.headSize { head.append(contentsOf: bytes.prefix(FileType.headSize - head.count)) }
            waiting.append(contentsOf: bytes)
            hash?.update(bytes.bindMemory(to: UInt8.self).span)
        }
        if waiting.count >= Self.blockSize { try await flush() }
    }

    /// SHA-256 of all bytes; to be asked for when all have been written.
    public var digest: [UInt8] {
        if let hash = hash.take() { knownDigest = hash.finalize() }
        return knownDigest
    }

    /// Writes what waits, and the file's bytes to the disk itself.
    func finish() async throws {
        try await flush()
        let file = file
        try await pool.run {
            guard fdatasync(file.descriptor) == 0 else { throw FileStoreError(operation: "sync", code: errno) }
        }
    }

    /// The file has another name now.
    func keep() { isKept = true }

    private func flush() async throws {
        guard !waiting.isEmpty else { return }
        let (bytes, file) = (waiting, file)
        waiting.removeAll(keepingCapacity: false)
        try await pool.run {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Glibc.write(file.descriptor, $0.baseAddress, $0.count) }
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if errno != EINTR {
                    throw FileStoreError(operation: "write", code: errno)
                }
            }
        }
    }
}

/// What the file system said.
public struct FileStoreError: Error, CustomStringConvertible {
    let operation: String
    let code: Int32

    public var description: String { "file store: \(operation): \(String(cString: strerror(code)))" }
}
