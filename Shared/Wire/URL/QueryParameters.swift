/// The decoded names and values of a query, or of a body of type `application/x-www-form-urlencoded`, in order.
public struct QueryParameters: Sendable {
    /// The default limit of names in one query.
    public static let defaultLimit = 256

    public private(set) var all: [(name: String, value: String)] = []

    public init() {}

    /// Parses `name=value&…`. A name without `=` has an empty value, and empty pairs are skipped. nil if an escape is
    /// not well-formed, the text is not UTF-8, or there are more than `limit` names.
    public init?(_ encoded: Span<UInt8>, limit: Int = defaultLimit) {
        var start = 0
        while start < encoded.count {
            let end = encoded.firstOffset(of: UInt8(ascii: "&"), from: start) ?? encoded.count
            defer { start = end + 1 }
            guard start < end else { continue }
            let pair = encoded.extracting(start..<end)
            let equals = pair.firstOffset(of: UInt8(ascii: "=")) ?? pair.count
            guard all.count < limit,
                let name = PercentEncoding.decode(pair.extracting(..<equals), plusIsBlank: true),
                let value = PercentEncoding.decode(
                    pair.extracting(min(equals + 1, pair.count)..<pair.count), plusIsBlank: true)
            else { return nil }
            all.append((name, value))
        }
    }

    /// Parses the same text as ``init(_:limit:)-(Span<UInt8>,_)``.
    public init?(_ encoded: ArraySlice<UInt8>, limit: Int = defaultLimit) {
        self.init(encoded.span, limit: limit)
    }

    /// Parses the same text as ``init(_:limit:)-(Span<UInt8>,_)``.
    public init?(_ encoded: String, limit: Int = defaultLimit) {
        self.init(encoded.utf8.span, limit: limit)
    }

    /// The first value of this name; nil if there is none.
    public subscript(name: String) -> String? {
        all.first { $0.name == name }?.value
    }

    public mutating func append(_ name: String, _ value: String) {
        all.append((name, value))
    }

    /// The text of a query or a form, without `?`.
    public func encoded(as encoding: PercentEncoding = .queryComponent) -> String {
        var output = ByteWriter()
        for (name, value) in all {
            if !output.isEmpty { output.append(UInt8(ascii: "&")) }
            encoding.append(name, to: &output)
            output.append(UInt8(ascii: "="))
            encoding.append(value, to: &output)
        }
        return String(decoding: output.bytes, as: UTF8.self)
    }
}
