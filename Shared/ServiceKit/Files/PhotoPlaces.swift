internal import Glibc

/// Finds the places in photos and videos: the coordinates that cameras write beside the pixels.
///
/// Sans-I/O. It returns the ranges to overwrite, and a file keeps its size and everything else. It looks for the structures of the
/// coordinates themselves, so it finds them in JPEG, PNG, WebP, HEIC, GIF, MP4 and QuickTime, and in the second picture of a file as
/// well: directories of EXIF, properties of XMP, and texts in ISO 6709. A file may be malformed in any way.
enum PhotoPlaces {
    /// Whether files of a type are looked into. Documents and archives stay as they are, because they have checksums.
    static func mayBe(in type: FileType) -> Bool { type.isImage || type == .mp4 || type == .mov }

    /// The edits that take the places out of a file.
    static func edits(of bytes: Span<UInt8>, type: FileType) -> [FileEdit] {
        var edits = directories(in: bytes) + properties(in: bytes)
        if type == .mp4 || type == .mov { edits += texts(in: bytes) + boxes(in: bytes) }
        return type == .png ? edits + PNGChunks.edits(of: bytes, after: edits) : edits
    }

    // MARK: EXIF

    private static let gpsTag = 0x8825
    /// The directories of a file that are linked to each other; real files have two.
    private static let mostDirectories = 8
    private static let mostEntries = 256
    private static let largestValue = 65_536
    /// The bytes that the directories of one file may take and erase; those of real files are a few thousand. The directories of a
    /// hostile file can lead in circles, and are left as they are from there on.
    private static let mostWork = 1 << 20
    /// The marks and texts of one kind in a file; real files have a few.
    private static let mostFound = 100_000
    /// Bytes of a value, by its type.
    private static let valueSizes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4]

    private static func directories(in bytes: Span<UInt8>) -> [FileEdit] {
        let marks: [(mark: StaticString, isLittle: Bool)] = [("II*\0", true), ("MM\0*", false)]
        var (edits, left): ([FileEdit], Int) = ([], mostWork)
        for (mark, isLittle) in marks {
            for start in offsets(of: mark, in: bytes) where left > 0 {
                edits += gpsDirectories(in: bytes, from: start, isLittle, &left)
            }
        }
        return edits
    }

    /// The coordinates of a structure that begins at `start`; all its offsets count from there.
    ///
    /// - Parameter left: the work that is left for the file.
    private static func gpsDirectories(
        in bytes: Span<UInt8>, from start: Int, _ isLittle: Bool, _ left: inout Int
    ) -> [FileEdit] {
        func number(_ offset: Int, _ count: Int) -> Int? { Self.number(in: bytes, at: offset, count, isLittle) }
        var edits: [FileEdit] = []
        var next = number(start + 4, 4) ?? 0
        for _ in 0..<mostDirectories {
            let directory = start + next
            guard left > 0, next >= 8, let count = number(directory, 2), count <= mostEntries else { break }
            left -= 12 * count
            for entry in 0..<count where left > 0 {
                let place = directory + 2 + 12 * entry
                guard number(place, 2) == gpsTag, number(place + 4, 4) == 1, let target = number(place + 8, 4) else {
                    continue
                }
                edits += erased(in: bytes, at: start + target, from: start, isLittle, &left)
            }
            next = number(directory + 2 + 12 * count, 4) ?? 0
        }
        return edits
    }

    /// Empties a directory: its values, then itself.
    private static func erased(
        in bytes: Span<UInt8>, at directory: Int, from start: Int, _ isLittle: Bool, _ left: inout Int
    ) -> [FileEdit] {
        guard let count = number(in: bytes, at: directory, 2, isLittle), count > 0, count <= mostEntries,
            directory + 2 + 12 * count <= bytes.count
        else { return [] }
        left -= 12 * count
        var edits: [FileEdit] = []
        for entry in 0..<count {
            let place = directory + 2 + 12 * entry
            guard let type = number(in: bytes, at: place + 2, 2, isLittle), type < valueSizes.count,
                let values = number(in: bytes, at: place + 4, 4, isLittle), values <= largestValue,
                let offset = number(in: bytes, at: place + 8, 4, isLittle)
            else { continue }
            let size = valueSizes[type] * values
            guard size > 4, size <= min(largestValue, left), start + offset + size <= bytes.count else { continue }
            left -= size
            edits.append(FileEdit(offset: start + offset, zeros: size))
        }
        return edits + [FileEdit(offset: directory, zeros: min(2 + 12 * count + 4, bytes.count - directory))]
    }

    private static func number(in bytes: Span<UInt8>, at offset: Int, _ count: Int, _ isLittle: Bool) -> Int? {
        guard offset >= 0, offset + count <= bytes.count else { return nil }
        var value = 0
        for place in 0..<count { value = value << 8 | Int(bytes[offset + (isLittle ? count - 1 - place : place)]) }
        return value
    }

    // MARK: XMP

    private static let longestProperty = 512

    /// The values of `exif:GPSLatitude` and the others, and of `drone-dji:GpsLatitude` and the others, as attributes and as
    /// elements.
    private static func properties(in bytes: Span<UInt8>) -> [FileEdit] {
        (offsets(of: ":GPS", in: bytes) + offsets(of: ":Gps", in: bytes)).compactMap { found in
            var place = found + 4
            while place < bytes.count, isLetter(bytes[place]) { place += 1 }
            guard place < bytes.count else { return nil }
            if bytes[place] == UInt8(ascii: ">") {
                return blank(in: bytes, from: place + 1, until: UInt8(ascii: "<"))
            }
            guard bytes[place] == UInt8(ascii: "="), place + 1 < bytes.count,
                [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(bytes[place + 1])
            else { return nil }
            return blank(in: bytes, from: place + 2, until: bytes[place + 1])
        }
    }

    private static func blank(in bytes: Span<UInt8>, from start: Int, until end: UInt8) -> FileEdit? {
        var place = start
        while place < bytes.count, place - start <= longestProperty, bytes[place] != end { place += 1 }
        guard place > start, place < bytes.count, bytes[place] == end else { return nil }
        return FileEdit(offset: start, bytes: [UInt8](repeating: UInt8(ascii: " "), count: place - start))
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte & 0xDF) }

    // MARK: Videos

    /// Texts such as `+37.5665+126.9780+035.1/` (ISO 6709): all digits become zeros.
    private static func texts(in bytes: Span<UInt8>) -> [FileEdit] {
        var edits: [FileEdit] = []
        var place = 0
        while place < bytes.count, edits.count < mostFound {
            guard let end = textEnd(in: bytes, from: place) else {
                place += 1
                continue
            }
            let text = (place..<end).map { isDigit(bytes[$0]) ? UInt8(ascii: "0") : bytes[$0] }
            edits.append(FileEdit(offset: place, bytes: text))
            place = end
        }
        return edits
    }

    /// The end of such a text that begins at `start`; nil if none does.
    private static func textEnd(in bytes: Span<UInt8>, from start: Int) -> Int? {
        var place = start
        var numbers = 0
        // A fourth number ends the look, or a long row of them would be read again from each.
        while numbers <= 3, place < bytes.count, bytes[place] == UInt8(ascii: "+") || bytes[place] == UInt8(ascii: "-")
        {
            let first = place + 1
            place = first
            while place < bytes.count, isDigit(bytes[place]) { place += 1 }
            guard (2...7).contains(place - first) else { return nil }
            if place < bytes.count, bytes[place] == UInt8(ascii: ".") {
                place += 1
                while place < bytes.count, isDigit(bytes[place]) { place += 1 }
            }
            numbers += 1
        }
        guard (2...3).contains(numbers), place < bytes.count, bytes[place] == UInt8(ascii: "/") else { return nil }
        return place
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// The boxes `loci` of 3GPP: everything after their language.
    private static func boxes(in bytes: Span<UInt8>) -> [FileEdit] {
        offsets(of: "loci", in: bytes).compactMap { name in
            guard let size = number(in: bytes, at: name - 4, 4, false), (24...1024).contains(size),
                name - 4 + size <= bytes.count
            else { return nil }
            return FileEdit(offset: name + 10, zeros: size - 14)
        }
    }

    // MARK: Search

    /// The offsets of a text in a file, the first ones if they are too many.
    static func offsets(of text: StaticString, in bytes: Span<UInt8>) -> [Int] {
        let length = text.utf8CodeUnitCount
        return bytes.withUnsafeBytes { bytes in
            guard let first = bytes.baseAddress else { return [] }
            var offsets: [Int] = []
            var offset = 0
            while offset + length <= bytes.count, offsets.count < mostFound,
                let found = memchr(first + offset, Int32(text.utf8Start.pointee), bytes.count - offset - length + 1)
            {
                offset = UnsafeRawPointer(found) - first
                if memcmp(found, text.utf8Start, length) == 0 { offsets.append(offset) }
                offset += 1
            }
            return offsets
        }
    }
}
