/// The last records of a zip archive (APPNOTE 6.3, sections 4.3.14 to 4.3.16).
struct ZipDirectoryEnd: Sendable {
    let count: Int
    /// The bytes of the directory and its offset in the archive.
    let size: UInt64
    let offset: UInt64

    /// The bytes of the Zip64 record after its own length.
    private static let rest: UInt64 = 44

    private var isLarge: Bool {
        count >= Int(UInt16.max) || size >= UInt64(UInt32.max) || offset >= UInt64(UInt32.max)
    }

    var bytes: [UInt8] {
        var end = ZipRecord(0x0605_4B50)
        // This disk, and the disk of the directory.
        end.append(UInt16(0))
        end.append(UInt16(0))
        for _ in 0..<2 { end.append(UInt16(clamping: count)) }
        end.append(UInt32(clamping: size))
        end.append(UInt32(clamping: offset))
        // No comment.
        end.append(UInt16(0))
        return isLarge ? zip64 + end.bytes : end.bytes
    }

    private var zip64: [UInt8] {
        var record = ZipRecord(0x0606_4B50)
        record.append(Self.rest)
        for _ in 0..<2 { record.append(ZipEntry.zip64Version) }
        for _ in 0..<2 { record.append(UInt32(0)) }
        for _ in 0..<2 { record.append(UInt64(count)) }
        record.append(size)
        record.append(offset)
        var locator = ZipRecord(0x0706_4B50)
        locator.append(UInt32(0))
        locator.append(offset + size)
        locator.append(UInt32(1))
        return record.bytes + locator.bytes
    }
}
