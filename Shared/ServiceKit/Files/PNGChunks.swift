/// The further edits that a PNG needs: new checksums of the edited chunks, and an end of metadata that older programs have packed
/// into texts.
enum PNGChunks {
    private static let signatureSize = 8
    /// The type of a chunk that programs leave alone.
    private static let ignored = Array("maRu".utf8)

    /// The further edits of a PNG.
    static func edits(of bytes: Span<UInt8>, after edits: [FileEdit]) -> [FileEdit] {
        let sorted = edits.sorted { $0.offset < $1.offset }
        var (all, first): ([FileEdit], Int) = ([], 0)
        var start = signatureSize
        while start + 12 <= bytes.count {
            let size = (0..<4).reduce(0) { $0 << 8 | Int(bytes[start + $1]) }
            let end = start + 8 + size
            guard end + 4 <= bytes.count else { break }
            while first < sorted.count, sorted[first].offset < start + 8 { first += 1 }
            let inside = sorted[first...].prefix { $0.offset < end }.filter { $0.end <= end }
            if let packed = packed(in: bytes, from: start + 4, to: end) {
                all += [packed, checksum(packed.bytes, at: end)]
            } else if !inside.isEmpty {
                var chunk = (start + 4..<end).map { bytes[$0] }
                for edit in inside {
                    let place = edit.offset - start - 4
                    chunk.replaceSubrange(place..<place + edit.bytes.count, with: edit.bytes)
                }
                all.append(checksum(chunk, at: end))
            }
            start = end + 4
        }
        return all
    }

    /// A chunk of text that holds a whole profile of metadata, emptied.
    private static func packed(in bytes: Span<UInt8>, from start: Int, to end: Int) -> FileEdit? {
        let type = (start..<start + 4).map { bytes[$0] }
        let name = Array("Raw profile type ".utf8)
        guard ["tEXt", "zTXt", "iTXt"].contains(where: { Array($0.utf8) == type }), end - start - 4 >= name.count,
            (0..<name.count).allSatisfy({ bytes[start + 4 + $0] == name[$0] })
        else { return nil }
        return FileEdit(offset: start, bytes: ignored + [UInt8](repeating: 0, count: end - start - 4))
    }

    private static func checksum(_ chunk: [UInt8], at offset: Int) -> FileEdit {
        var rest: UInt32 = 0xFFFF_FFFF
        for byte in chunk {
            rest ^= UInt32(byte)
            for _ in 0..<8 { rest = rest & 1 == 1 ? rest >> 1 ^ 0xEDB8_8320 : rest >> 1 }
        }
        let value = ~rest
        return FileEdit(offset: offset, bytes: (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) })
    }
}
