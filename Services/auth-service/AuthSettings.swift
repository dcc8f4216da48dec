import ServiceKit

/// The settings that only this service has.
struct AuthSettings: Sendable {
    private static let keyRotationKey = ConfigKey(
        "key_rotation", default: Duration.seconds(30 * 86_400), "How long a key signs tokens before the next one does.")
    private static let hashThreadsKey = ConfigKey(
        "hash_threads", default: 2, "Passwords hashed at a time; each takes 19 MiB.")
    private static let hashQueueKey = ConfigKey(
        "hash_queue", default: 64, "Passwords that may wait to be hashed; more are shed.")

    static let entries = [keyRotationKey.entry, hashThreadsKey.entry, hashQueueKey.entry]

    let keyRotation: Duration
    let hashThreads: Int
    let hashQueue: Int

    init(_ config: Config) {
        keyRotation = config[Self.keyRotationKey]
        hashThreads = config[Self.hashThreadsKey]
        hashQueue = config[Self.hashQueueKey]
    }
}
