/// An entry of a zip archive and the records about it (APPNOTE 6.3, sections 4.3.7, 4.3.9 and 4.3.12).
struct ZipEntry: Sendable {
    let name: [UInt8]
    let modified: ZipTime
    /// The offset of its local header in the archive.
    let offset: UInt64
    /// Whether the sizes after its content have 64 bits.
    let isLarge: Bool
    var checksum: UInt32 = 0
    var size: UInt64 = 0
    var compressedSize: UInt64 = 0

    private static let deflate: UInt16 = 8
    /// Sizes follow the content (bit 3), and the name is UTF-8 (bit 11).
    private static let flags: UInt16 = 1 << 3 | 1 << 11
    private static let zip64: UInt16 = 1
    static let plainVersion: UInt16 = 20
    static let zip64Version: UInt16 = 45
    /// A regular file that its owner may read and write, as Unix says it.
    private static let attributes: UInt32 = 0o100_600 << 16
    private static let unix: UInt16 = 3 << 8

    init(name: [UInt8], modified: ZipTime, offset: UInt64, isLarge: Bool) {
        self.name = name
        self.modified = modified
        self.offset = offset
        self.isLarge = isLarge
    }

    /// Before the content. Without sizes, because they are not known yet.
    var localHeader: [UInt8] {
        var record = ZipRecord(0x0403_4B50)
        record.append(isLarge ? Self.zip64Version : Self.plainVersion)
        appendKind(to: &record)
        record.append(UInt32(0))
        record.append(isLarge ? UInt32.max : 0)
        record.append(isLarge ? UInt32.max : 0)
        record.append(UInt16(name.count))
        record.append(UInt16(isLarge ? 20 : 0))
        record.append(name)
        if isLarge {
            record.append(Self.zip64)
            record.append(UInt16(16))
            record.append(UInt64(0))
            record.append(UInt64(0))
        }
        return record.bytes
    }

    /// After the content.
    var descriptor: [UInt8] {
        var record = ZipRecord(0x0807_4B50)
        record.append(checksum)
        if isLarge {
            record.append(compressedSize)
            record.append(size)
        } else {
            record.append(UInt32(compressedSize))
            record.append(UInt32(size))
        }
        return record.bytes
    }

    /// In the directory at the end of the archive.
    var directoryHeader: [UInt8] {
        let large = [size, compressedSize, offset].filter { $0 >= UInt64(UInt32.max) }
        let version = large.isEmpty && !isLarge ? Self.plainVersion : Self.zip64Version
        var record = ZipRecord(0x0201_4B50)
        record.append(Self.unix | version)
        record.append(version)
        appendKind(to: &record)
        record.append(checksum)
        record.append(UInt32(clamping: compressedSize))
        record.append(UInt32(clamping: size))
        record.append(UInt16(name.count))
        record.append(UInt16(large.isEmpty ? 0 : 4 + 8 * large.count))
        // No comment, on the first disk, content of an unknown kind.
        for _ in 0..<3 { record.append(UInt16(0)) }
        record.append(Self.attributes)
        record.append(UInt32(clamping: offset))
        record.append(name)
        if !large.isEmpty {
            record.append(Self.zip64)
            record.append(UInt16(8 * large.count))
            for number in large { record.append(number) }
        }
        return record.bytes
    }

    private func appendKind(to record: inout ZipRecord) {
        record.append(Self.flags)
        record.append(Self.deflate)
        record.append(modified.time)
        record.append(modified.date)
    }
}
