/// What one hash costs, and with that what one guess costs.
public struct Argon2Parameters: Hashable, Sendable {
    /// KiB of memory that a hash fills.
    public let memory: Int
    /// How often it goes over them.
    public let iterations: Int
    /// Lanes, all computed by one thread.
    public let parallelism: Int

    /// What OWASP recommends at least: 19 MiB, twice; about 14 ms.
    public static let recommended = Argon2Parameters(memory: 19_456, iterations: 2, parallelism: 1)

    /// - Precondition: within what Argon2 defines (8 KiB a lane at least) and 256 MiB, 16 iterations, 16 lanes.
    public init(memory: Int, iterations: Int, parallelism: Int) {
        self.memory = memory
        self.iterations = iterations
        self.parallelism = parallelism
        precondition(isSound, "no parameters of Argon2")
    }

    /// `nil` where a stored hash asks for what is undefined or beyond the limit.
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
