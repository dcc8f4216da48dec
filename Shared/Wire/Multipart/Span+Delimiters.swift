extension Span<UInt8> {
    /// How many bytes stand before the empty line; `nil` where there is none yet.
    var endOfHeaders: Int? {
        var index = 0
        while let found = firstOffset(of: UInt8(ascii: "\r"), from: index), found + 4 <= count {
            if self[found + 1] == UInt8(ascii: "\n"), self[found + 2] == UInt8(ascii: "\r"),
                self[found + 3] == UInt8(ascii: "\n")
            {
                return found
            }
            index = found + 1
        }
        return nil
    }

    /// Where `delimiter` begins at or after `start`, or the part of it that may go on behind the end, or else the end.
    /// It begins with CR and holds no other.
    func firstOccurrence(of delimiter: Span<UInt8>, from start: Int) -> (offset: Int, isWhole: Bool) {
        var index = start
        while let found = firstOffset(of: UInt8(ascii: "\r"), from: index) {
            let length = Swift.min(delimiter.count, count - found)
            if extracting(found..<found + length).hasSameBytes(as: delimiter.extracting(..<length)) {
                return (found, length == delimiter.count)
            }
            index = found + 1
        }
        return (count, false)
    }
}
