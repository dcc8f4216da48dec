internal import CCrypto

/// Unpredictable bytes from OpenSSL's generator, which is seeded by the system.
public enum SecureRandom {
    /// Returns `count` fresh bytes; 32 make a token or key.
    public static func bytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
            // Continuing without randomness would produce guessable secrets.
            precondition(RAND_bytes(buffer.baseAddress, Int32(count)) == 1, "the system has no randomness")
            written = count
        }
    }
}
