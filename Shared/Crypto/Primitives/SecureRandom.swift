internal import CCrypto

/// Bytes that nobody can guess, from OpenSSL's generator, which the system's entropy seeds.
public enum SecureRandom {
    /// So many fresh bytes; 32 make a token or key.
    public static func bytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
            // Going on without randomness would hand out guessable secrets.
            precondition(RAND_bytes(buffer.baseAddress, Int32(count)) == 1, "no randomness")
            written = count
        }
    }
}
