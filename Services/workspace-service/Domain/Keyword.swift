import Contract
import Glibc
import Wire

/// A search term for names. Matching ignores case and Unicode composition.
struct Keyword: Sendable {
    private let key: [UInt8]

    /// Bytes.
    private static let maxLength = 1024

    /// Throws if the text of a request is too long.
    static func validate(_ text: String) throws(Failure) {
        guard text.utf8.count <= maxLength else { throw .invalid("The keyword is too long.") }
    }

    /// Nil for an empty text, which matches nothing.
    init?(_ text: String) {
        key = Array(text.caselessKey.utf8)
        if key.isEmpty { return nil }
    }

    /// Whether the text contains the keyword.
    ///
    /// Compares bytes. In UTF-8 the first byte of a scalar never occurs inside another scalar, so a match covers whole
    /// scalars. `String.contains` takes a microsecond for each name, too long for a workspace with ten thousand
    /// members.
    func matches(_ text: String) -> Bool {
        var text = text.caselessKey
        return text.withUTF8 { text in
            guard var start = text.baseAddress else { return false }
            let last = start + text.count - key.count
            while start <= last, let found = memchr(start, Int32(key[0]), last - start + 1) {
                if memcmp(found, key, key.count) == 0 { return true }
                start = UnsafePointer(found.assumingMemoryBound(to: UInt8.self)) + 1
            }
            return false
        }
    }
}
