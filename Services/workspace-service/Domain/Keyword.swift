import Glibc
import Wire

/// What is searched for in names: a part of them, whatever its case and composition.
struct Keyword: Sendable {
    private let key: [UInt8]

    /// Nil for empty text, which is found nowhere.
    init?(_ text: String) {
        key = Array(text.caselessKey.utf8)
        if key.isEmpty { return nil }
    }

    /// Compares bytes: a scalar's first byte is none of another's later ones, so only whole scalars are alike.
    /// Workspaces have ten thousand members, and the standard library's `contains` takes a microsecond for each.
    func isIn(_ text: String) -> Bool {
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
