public import Wire

/// Writes a zip archive piece by piece, without a file or socket: each call returns the next bytes of the archive.
///
///     var zip = ZipWriter()
///     output += try zip.begin("messages.json", modified: .now)
///     output += try zip.append(page.span)
///     output += try zip.end()
///     output += zip.finish()
///
/// Entries are compressed as they arrive, so their sizes follow their content in a data descriptor. The memory in use is
/// one compressor and about 80 bytes and the name of each entry. Archives beyond 4 GiB or 65,535 entries get the records
/// of Zip64, smaller ones do not.
public struct ZipWriter: ~Copyable {
    /// How an entry is stored.
    public enum Compression: Sendable {
        /// For text.
        case deflated
        /// For content that is compressed already, such as pictures.
        case copied
    }

    /// The offset of the next byte in the archive.
    public private(set) var offset: UInt64
    private let compressor = ZipCompressor()
    private var entries: [ZipEntry] = []
    private var isOpen = false

    /// - Parameter offset: the number of bytes before the archive in its file.
    public init(at offset: UInt64 = 0) { self.offset = offset }

    /// The number of entries so far.
    public var count: Int { entries.count }

    /// Begins an entry.
    ///
    /// - Parameters:
    ///   - name: the path in the archive, with `/` between its parts, unique and at most 65,535 bytes long.
    ///   - isLarge: whether the content may exceed 4 GiB. Some older readers do not read such entries.
    public mutating func begin(
        _ name: String, modified: Timestamp, _ compression: Compression = .deflated, isLarge: Bool = false
    ) throws(ZipError) -> [UInt8] {
        guard !isOpen else { throw .entryIsOpen }
        let name = Array(name.utf8)
        guard !name.isEmpty, name.count <= UInt16.max else { throw .invalidName }
        let entry = ZipEntry(name: name, modified: ZipTime(modified), offset: offset, isLarge: isLarge)
        entries.append(entry)
        isOpen = true
        compressor.reset(compression)
        return counted(entry.localHeader)
    }

    /// Appends content to the open entry. The result is empty while the compressor gathers.
    public mutating func append(_ bytes: Span<UInt8>) throws(ZipError) -> [UInt8] {
        guard isOpen else { throw .noEntryIsOpen }
        let last = entries.count - 1
        entries[last].size += UInt64(bytes.count)
        entries[last].checksum = ZipCompressor.checksum(bytes, after: entries[last].checksum)
        return try sized(compressor.compress(bytes, isLast: false))
    }

    /// Ends the open entry.
    public mutating func end() throws(ZipError) -> [UInt8] {
        guard isOpen else { throw .noEntryIsOpen }
        let nothing: [UInt8] = []
        let rest = try sized(compressor.compress(nothing.span, isLast: true))
        isOpen = false
        return rest + counted(entries[entries.count - 1].descriptor)
    }

    /// Ends the archive: the directory of all entries.
    public mutating func finish() throws(ZipError) -> [UInt8] {
        guard !isOpen else { throw .entryIsOpen }
        let start = offset
        var bytes: [UInt8] = []
        for entry in entries { bytes += entry.directoryHeader }
        bytes += ZipDirectoryEnd(count: entries.count, size: UInt64(bytes.count), offset: start).bytes
        return counted(bytes)
    }

    private mutating func sized(_ compressed: [UInt8]) throws(ZipError) -> [UInt8] {
        let last = entries.count - 1
        entries[last].compressedSize += UInt64(compressed.count)
        guard entries[last].isLarge || max(entries[last].size, entries[last].compressedSize) < UInt64(UInt32.max) else {
            throw .entryTooLarge
        }
        return counted(compressed)
    }

    private mutating func counted(_ bytes: [UInt8]) -> [UInt8] {
        offset += UInt64(bytes.count)
        return bytes
    }
}
