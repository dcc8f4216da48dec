/// Who gets the outcome of a command.
enum RedisWaiter {
    case continuation(UnsafeContinuation<Result<RedisValue, RedisError>, Never>)
    case closure((Result<RedisValue, RedisError>) -> Void)
    /// Nobody asks.
    case none

    func take(_ outcome: Result<RedisValue, RedisError>) {
        switch self {
        case .continuation(let continuation): continuation.resume(returning: outcome)
        case .closure(let closure): closure(outcome)
        case .none: break
        }
    }
}
