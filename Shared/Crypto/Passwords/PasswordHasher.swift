internal import EventLoop

/// Hashes and compares passwords with Argon2id on its own threads.
///
/// The threads have idle priority, so a flood of logins does not slow down the rest of the service, and a full queue
/// refuses passwords at once. A password is hashed as the bytes given: normalise it before.
public final class PasswordHasher: Sendable {
    /// The cost of new hashes.
    public let parameters: Argon2Parameters

    private let pool: BlockingPool
    private let queueLimit: Int
    /// The hash with which passwords of unknown accounts are compared.
    let unknownAccountHash: PasswordHash

    /// Starts the threads.
    ///
    /// - Parameter threads: the number of hashes made at a time; each fills `parameters.memory`.
    /// - Parameter queueLimit: the number of passwords that may wait for a thread; more are refused. 64 take about half
    ///   a second on 2 threads.
    public init(parameters: Argon2Parameters = .recommended, threads: Int = 2, queueLimit: Int = 64) {
        self.parameters = parameters
        self.queueLimit = queueLimit
        pool = BlockingPool(threads: threads, limit: queueLimit, priority: .idle, name: "argon2")
        unknownAccountHash = PasswordHash(matchingNothing: parameters)
    }

    deinit { pool.stop() }

    /// Whether the next password would be refused: a reason to refuse the whole request early.
    public var isFull: Bool { pool.waiting >= queueLimit }

    /// Makes the text to store for a new password, with a fresh salt and the parameters in it.
    public func hash(_ password: String) async throws(PasswordHashingError) -> String {
        let parameters = parameters
        return try await onPool { () throws(PasswordHashingError) in
            try PasswordHash(of: Array(password.utf8), parameters: parameters).text
        }
    }

    /// Compares `password` with a stored hash.
    ///
    /// - Parameter stored: the account's hash; nil for an account that does not exist or has no password, which takes
    ///   the same time and is `wrong`.
    public func verify(_ password: String, against stored: String?) async throws(PasswordHashingError)
        -> PasswordVerdict
    {
        let hash: PasswordHash
        if let stored {
            guard let parsed = PasswordHash(parsing: stored) else { throw .malformedHash }
            hash = parsed
        } else {
            hash = unknownAccountHash
        }
        let isRight = try await onPool { () throws(PasswordHashingError) in try hash.matches(Array(password.utf8)) }
        guard isRight, stored != nil else { return .wrong }
        return .right(needsRehash: hash.parameters != parameters)
    }

    private func onPool<Result: Sendable>(
        _ body: @escaping @Sendable () throws(PasswordHashingError) -> Result
    ) async throws(PasswordHashingError) -> Result {
        do {
            return try await pool.run(body)
        } catch let error as PasswordHashingError {
            throw error
        } catch {
            throw .overloaded
        }
    }
}
