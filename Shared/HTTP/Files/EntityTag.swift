/// The version of a resource, as in `ETag` and `If-None-Match`.
public struct EntityTag: Sendable, Equatable {
    /// Whether equal tags mean equivalent content only, rather than equal bytes.
    public let isWeak: Bool
    /// The text between the quotes.
    public let value: String

    /// Returns nil if `value` contains quotes, spaces or control characters.
    public init?(_ value: String, isWeak: Bool = false) {
        guard value.utf8.allSatisfy(Self.isTagByte) else { return nil }
        self.value = value
        self.isWeak = isWeak
    }

    /// The tag as it is written in a field.
    public var text: String { (isWeak ? "W/\"" : "\"") + value + "\"" }

    /// Whether an `If-None-Match` with this value names the tag; `*` names any tag. Weak and strong tags compare equal
    /// here.
    func isNamed(in list: some Collection<UInt8>) -> Bool {
        guard !list.elementsEqual([UInt8(ascii: "*")]) else { return true }
        return Self.list(list).contains { $0.value == value }
    }

    /// Parses a comma-separated list of tags, up to the first malformed one.
    static func list(_ text: some Collection<UInt8>) -> [EntityTag] {
        var tags: [EntityTag] = []
        var rest = Array(text)[...]
        while true {
            rest = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ",") }
            var isWeak = false
            if rest.starts(with: "W/".utf8) {
                isWeak = true
                rest = rest.dropFirst(2)
            }
            guard rest.first == UInt8(ascii: "\"") else { return tags }
            let value = rest.dropFirst().prefix(while: isTagByte)
            rest = rest[value.endIndex...]
            guard rest.first == UInt8(ascii: "\""),
                let tag = EntityTag(String(decoding: value, as: UTF8.self), isWeak: isWeak)
            else { return tags }
            tags.append(tag)
            rest = rest.dropFirst()
        }
    }

    private static func isTagByte(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte != UInt8(ascii: "\"") && byte != 0x7F
    }
}
