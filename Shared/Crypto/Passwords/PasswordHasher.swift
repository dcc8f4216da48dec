internal import EventLoop

/// Hashes and compares passwords with Argon2id on threads of its own.
///
/// The threads run only while nobody else of the service wants the processor, so a flood of logins does not slow down
/// the rest, and when too many wait the next is refused at once. A password is its bytes as given: normalise it before.
public final class PasswordHasher: Sendable {
    /// What new hashes cost.
    public let parameters: Argon2Parameters

    private let pool: BlockingPool
    private let queueLimit: Int
    /// What passwords of unknown accounts are compared with.
    let nobody: PasswordHash

    /// Starts the threads.
    ///
    /// - Parameter threads: as many hashes are made at a time, each filling its `parameters.memory`.
    /// - Parameter queueLimit: so many wait for a thread; the next is refused. 64 are about
    ///   half a second for 2 threads.
    public init(parameters: Argon2Parameters = .recommended, threads: Int = 2, queueLimit: Int = 64) {
        self.parameters = parameters
        self.queueLimit = queueLimit
        pool = BlockingPool(threads: threads, limit: queueLimit, priority: .idle, name: "argon2")
        nobody = PasswordHash(ofNobody: parameters)
    }

    deinit { pool.stop() }

    /// Whether the next password would be refused: a reason to do nothing else for it either.
    public var isFull: Bool { pool.waiting >= queueLimit }

    /// Makes the text to store for a new password, with a fresh salt and the parameters in it.
    public func hash(_ password: String) async throws(PasswordHashingError) -> String {
        let parameters = parameters
        return try await onPool { () throws(PasswordHashingError) in
            try PasswordHash(of: Array(password.utf8), parameters: parameters).text
        }
    }

    /// Compares `password` with what is stored.
    ///
    /// - Parameter stored: the account's hash; `nil` for an account that does not exist or has no password, which costs
    ///   the same time and is `wrong`.
    public func verify(_ password: String, against stored: String?) async throws(PasswordHashingError)
        -> PasswordVerdict
    {
        let hash: PasswordHash
        if let stored {
            guard let parsed = PasswordHash(parsing: stored) else { throw .malformedHash }
            hash = parsed
        } else {
            hash = nobody
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
