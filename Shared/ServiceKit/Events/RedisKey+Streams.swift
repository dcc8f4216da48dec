public import Redis

/// The streams on which services tell what must not be lost.
extension RedisKey {
    /// Messages, whose recipients may want a push.
    public static let pushes: RedisKey = "push"

    /// What a service tells of its own.
    public static func facts(of service: String) -> RedisKey { "facts:\(service)" }
}
