internal import CCrypto

/// Comparison of secrets.
public enum ConstantTime {
    /// Whether both contain the same bytes, in a time that depends only on their length.
    public static func areEqual(_ first: Span<UInt8>, _ second: Span<UInt8>) -> Bool {
        guard first.count == second.count else { return false }
        return first.withUnsafeBufferPointer { first in
            second.withUnsafeBufferPointer { second in
                first.isEmpty || CRYPTO_memcmp(first.baseAddress!, second.baseAddress!, first.count) == 0
            }
        }
    }
}
