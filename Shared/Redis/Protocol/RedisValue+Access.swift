extension RedisValue {
    /// Whether this is `null`.
    public var isNull: Bool { self == .null }

    /// The number, or data that is a decimal number.
    public var integer: Int64? {
        switch self {
        case .integer(let number): number
        case .bytes(let bytes): Int64(String(decoding: bytes, as: UTF8.self))
        default: nil
        }
    }

    /// The data.
    public var bytes: [UInt8]? {
        if case .bytes(let bytes) = self { bytes } else { nil }
    }

    /// Data or a status as text; invalid UTF-8 is replaced.
    public var text: String? {
        switch self {
        case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
        case .status(let word): word
        default: nil
        }
    }

    /// The elements of an array; `null` has none.
    public var array: [RedisValue]? {
        switch self {
        case .array(let members): members
        case .null: []
        default: nil
        }
    }
}

/// Accessors that throw, for replies of known commands, which have a known form.
extension RedisValue {
    func requireInteger() throws(RedisError) -> Int64 { try require(integer, "a number") }

    func requireText() throws(RedisError) -> String { try require(text, "text") }

    func requireBytes() throws(RedisError) -> [UInt8] { try require(bytes, "data") }

    func requireArray() throws(RedisError) -> [RedisValue] { try require(array, "an array") }

    /// The data, or nil for `null`.
    func requireOptionalBytes() throws(RedisError) -> [UInt8]? { isNull ? nil : try requireBytes() }

    /// The pairs of a flat array: field, value, field, value.
    func requirePairs() throws(RedisError) -> [(key: RedisValue, value: RedisValue)] {
        let flat = try requireArray()
        guard flat.count.isMultiple(of: 2) else { throw .unexpectedReply("an odd number of fields and values") }
        return stride(from: 0, to: flat.count, by: 2).map { (flat[$0], flat[$0 + 1]) }
    }

    /// The pairs of a flat array by name.
    func requireNamedValues() throws(RedisError) -> [String: RedisValue] {
        var values: [String: RedisValue] = [:]
        for (name, value) in try requirePairs() { values[try name.requireText()] = value }
        return values
    }

    private func require<Result>(_ result: Result?, _ form: StaticString) throws(RedisError) -> Result {
        guard let result else { throw .unexpectedReply("not \(form)") }
        return result
    }
}

extension [String: RedisValue] {
    func require(_ name: String) throws(RedisError) -> RedisValue {
        guard let value = self[name] else { throw .unexpectedReply("no \(name)") }
        return value
    }
}
