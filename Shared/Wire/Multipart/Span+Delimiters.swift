extension Span<UInt8> {
    /// The number of bytes before the empty line; nil if it has not arrived yet.
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

    /// The offset of `delimiter` at or after `start`; or of a prefix of it that ends the bytes and may continue; or the
    /// end. The delimiter begins with CR and contains no other CR.
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
