/// The receiver of a command's outcome.
enum RedisWaiter {
    case continuation(UnsafeContinuation<Result<RedisValue, RedisError>, Never>)
    case closure((Result<RedisValue, RedisError>) -> Void)
    /// The outcome is dropped.
    case none

    func complete(_ outcome: Result<RedisValue, RedisError>) {
        switch self {
        case .continuation(let continuation): continuation.resume(returning: outcome)
        case .closure(let closure): closure(outcome)
        case .none: break
        }
    }
}
