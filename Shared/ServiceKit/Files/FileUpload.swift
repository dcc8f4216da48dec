internal import Crypto
internal import EventLoop
internal import Glibc
internal import Wire

/// A file being uploaded. Its bytes go to a temporary file, which is deleted unless a store keeps it.
///
/// - Note: `@unchecked Sendable` because only one request uses it, with one call at a time.
public final class FileUpload: @unchecked Sendable {
    /// The path of the temporary file.
    let path: String
    /// The number of bytes so far.
    public private(set) var size = 0
    /// The first bytes, which show the type.
    public private(set) var head: [UInt8] = []
    private var imageHeader = ImageHeader()
    /// The size of a picture, once its header has arrived; nil for other files.
    public var imageSize: ImageSize? { imageHeader.size }

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

    /// Appends bytes, which are written in blocks.
    public func write(_ bytes: RawSpan) async throws {
        size += bytes.byteCount
        bytes.withUnsafeBytes { bytes in
            if head.count < FileType.headSize { head.append(contentsOf: bytes.prefix(FileType.headSize - head.count)) }
            imageHeader.read(bytes)
            waiting.append(contentsOf: bytes)
            hash?.update(bytes.bindMemory(to: UInt8.self).span)
        }
        if waiting.count >= Self.blockSize { try await flush() }
    }

    /// The SHA-256 of all bytes; to be read after the last change.
    public var digest: [UInt8] {
        if let hash = hash.take() { knownDigest = hash.finalize() }
        return knownDigest
    }

    /// Writes the remaining bytes and syncs the file to the disk.
    func finish() async throws {
        try await flush()
        let file = file
        try await pool.run {
            guard fdatasync(file.descriptor) == 0 else { throw FileStoreError(operation: "sync", code: errno) }
        }
    }

    /// Keeps the file: the store has renamed it.
    func keep() { isKept = true }

    /// The digest in hexadecimal.
    var hexadecimalDigest: String { Hexadecimal.encode(digest.span) }

    /// Reads bytes that were flushed.
    func piece(at offset: Int, count: Int) async throws -> [UInt8] {
        let file = file
        return try await pool.run {
            var bytes = [UInt8](repeating: 0, count: count)
            var filled = 0
            while filled < count {
                let read = bytes.withUnsafeMutableBytes {
                    pread(file.descriptor, $0.baseAddress! + filled, count - filled, off_t(offset + filled))
                }
                if read > 0 {
                    filled += read
                } else if read == 0 || errno != EINTR {
                    throw FileStoreError(operation: "read", code: read == 0 ? EIO : errno)
                }
            }
            return bytes
        }
    }

    /// Overwrites the places in a photo or a video; to be called after the last write.
    func erasePlaces() async throws {
        guard size > 0, let type = FileType(head: head), PhotoPlaces.mayBe(in: type) else { return }
        try await flush()
        let (file, size) = (file, size)
        let changed: [UInt8]? = try await pool.run {
            guard let mapped = mmap(nil, size, PROT_READ, MAP_SHARED, file.descriptor, 0), mapped != MAP_FAILED else {
                throw FileStoreError(operation: "map", code: errno)
            }
            defer { munmap(mapped, size) }
            let bytes = UnsafeRawBufferPointer(start: mapped, count: size).bindMemory(to: UInt8.self).span
            let edits = PhotoPlaces.edits(of: bytes, type: type)
            for edit in edits {
                let written = edit.bytes.withUnsafeBytes {
                    pwrite(file.descriptor, $0.baseAddress, $0.count, off_t(edit.offset))
                }
                guard written == edit.bytes.count else { throw FileStoreError(operation: "write", code: errno) }
            }
            return edits.isEmpty ? nil : SHA256.digest(of: bytes)
        }
        guard let changed else { return }
        hash = nil
        knownDigest = changed
    }

    /// Writes the remaining bytes to the file.
    func flush() async throws {
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

/// An error of the file system.
public struct FileStoreError: Error, CustomStringConvertible {
    let operation: String
    let code: Int32

    /// Whether the disk is full.
    var isOutOfSpace: Bool { code == ENOSPC || code == EDQUOT }

    public var description: String { "file store: \(operation): \(String(cString: strerror(code)))" }
}
