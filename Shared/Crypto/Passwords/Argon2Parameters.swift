/// The cost of one hash, and thus of one guess.
public struct Argon2Parameters: Hashable, Sendable {
    /// The memory that a hash fills, in KiB.
    public let memory: Int
    /// The number of passes over the memory.
    public let iterations: Int
    /// The number of lanes, all computed by one thread.
    public let parallelism: Int

    /// The least that OWASP recommends: 19 MiB, two passes; about 14 ms.
    public static let recommended = Argon2Parameters(memory: 19_456, iterations: 2, parallelism: 1)

    /// - Precondition: within Argon2's definition (at least 8 KiB for each lane) and 256 MiB, 16 iterations, 16 lanes.
    public init(memory: Int, iterations: Int, parallelism: Int) {
        self.memory = memory
        self.iterations = iterations
        self.parallelism = parallelism
        precondition(isSound, "invalid Argon2 parameters")
    }

    /// nil if a stored hash has undefined parameters or parameters beyond the limits.
    init?(storedMemory memory: Int, iterations: Int, parallelism: Int) {
        self.memory = memory
        self.iterations = iterations
        self.parallelism = parallelism
        guard isSound else { return nil }
    }

    private var isSound: Bool {
        (1...16).contains(parallelism) && (1...16).contains(iterations) && (8 * parallelism...262_144).contains(memory)
    }
}
