import ServiceKit

/// The settings of auth-service alone.
struct AuthSettings: Sendable {
    private static let keyRotationKey = ConfigKey(
        "key_rotation", default: Duration.seconds(30 * 86_400), atLeast: .seconds(60),
        "How long a key signs tokens before the next key replaces it.")
    private static let hashThreadsKey = ConfigKey(
        "hash_threads", default: 2, atLeast: 1, "Threads that hash passwords; each hash takes 19 MiB.")
    private static let hashQueueKey = ConfigKey(
        "hash_queue", default: 64, atLeast: 1, "Passwords that may wait for a hash thread; further calls are refused.")

    private static let joinHashShareKey = ConfigKey(
        "join_hash_share", default: 25, atLeast: 1, atMost: 100,
        "Percentage of the hash threads and queue that joins may occupy.")
    private static let loginHashShareKey = ConfigKey(
        "login_hash_share", default: 50, atLeast: 1, atMost: 100,
        "Percentage of the hash threads and queue that logins from unknown addresses may occupy.")
    private static let freeJoinsKey = ConfigKey(
        "free_joins", default: 300, atLeast: 1, "Joins of one address without a wait, on each instance.")
    private static let joinWaitKey = ConfigKey(
        "join_wait", default: Duration.seconds(60), atLeast: .seconds(1),
        "The longest wait between further joins of one address. The wait begins with a second and doubles.")
    private static let joinMemoryKey = ConfigKey(
        "join_memory", default: Duration.seconds(3600), atLeast: .seconds(60),
        "How long the joins of an address are counted after its last one.")
    private static let refreshRateKey = ConfigKey(
        "refresh_rate", default: 1, atLeast: 1, "Refreshes a second of one session.")
    private static let refreshBurstKey = ConfigKey(
        "refresh_burst", default: 250, atLeast: 1,
        "Refreshes of one session at once: apps refresh for each of the two calls per room of a home screen.")

    private static let kakaoURLKey = ConfigKey(
        "kakao_url", default: "https://kapi.kakao.com", "Base URL of Kakao's API.")
    private static let kakaoAppIDKey = ConfigKey(
        "kakao_app_id", default: 0, atLeast: 0, "The id of our app at Kakao; 0 turns sign-in with Kakao off.")
    private static let appleURLKey = ConfigKey(
        "apple_url", default: "https://appleid.apple.com", "Base URL of Apple's public keys.")
    private static let appleKeyIntervalKey = ConfigKey(
        "apple_key_interval", default: Duration.seconds(10),
        "The shortest interval between two fetches of Apple's keys because of tokens with an unknown key.")
    private static let appleClientIDsKey = ConfigKey(
        "apple_client_ids", default: [String](),
        "Bundle and service ids of our apps; an empty list turns sign-in with Apple off.")

    static let providerDeadlineKey = ConfigKey(
        "provider_deadline", default: Duration.seconds(5), atLeast: .milliseconds(1),
        "Time-out of a request to Kakao, Apple or an issuer of OpenID Connect.")

    static let blockLimitKey = ConfigKey(
        "user_blocks", default: 1000, atLeast: 1, "The most users that one user can block.")

    private static let imageSizeKey = ConfigKey(
        "image_size", default: ByteCount(10 << 20), "The largest profile image.")

    static let entries =
        [
            imageSizeKey.entry, blockLimitKey.entry, Pictures.retentionKey.entry, SystemUser.nameKey.entry,
            keyRotationKey.entry, hashThreadsKey.entry, hashQueueKey.entry, joinHashShareKey.entry,
            loginHashShareKey.entry, freeJoinsKey.entry, joinWaitKey.entry, joinMemoryKey.entry, refreshRateKey.entry,
            refreshBurstKey.entry,
            kakaoURLKey.entry, kakaoAppIDKey.entry,
            appleURLKey.entry, appleKeyIntervalKey.entry, appleClientIDsKey.entry, providerDeadlineKey.entry,
        ] + MailSettings.entries + CodeSettings.entries
        + GrantSettings.entries + ExportSettings.entries + SecondFactorSettings.entries
        + OIDCSettings.entries + PreviewLimits.entries

    let keyRotation: Duration
    let hashing: Passwords.Limits
    let joins: JoinBackoff.Limits
    let refreshes: (rate: Double, burst: Double)
    let kakaoURL: String
    let kakaoAppID: Int?
    let appleURL: String
    let appleKeyInterval: Duration
    let appleClientIDs: Set<String>
    /// Bytes.
    let imageSize: Int
    let pictures: (retention: Duration, previews: PreviewLimits)
    let system: SystemUser

    init(_ config: Config) {
        keyRotation = config[Self.keyRotationKey]
        hashing = Passwords.Limits(
            threads: config[Self.hashThreadsKey], queue: config[Self.hashQueueKey],
            joinShare: config[Self.joinHashShareKey], loginShare: config[Self.loginHashShareKey])
        joins = JoinBackoff.Limits(
            free: config[Self.freeJoinsKey], wait: config[Self.joinWaitKey], memory: config[Self.joinMemoryKey])
        refreshes = (Double(config[Self.refreshRateKey]), Double(config[Self.refreshBurstKey]))
        imageSize = config[Self.imageSizeKey].bytes
        pictures = (config[Pictures.retentionKey], PreviewLimits(config))
        system = SystemUser(nickname: config[SystemUser.nameKey])
        kakaoURL = config[Self.kakaoURLKey]
        kakaoAppID = config[Self.kakaoAppIDKey] == 0 ? nil : config[Self.kakaoAppIDKey]
        appleURL = config[Self.appleURLKey]
        appleKeyInterval = config[Self.appleKeyIntervalKey]
        appleClientIDs = Set(config[Self.appleClientIDsKey])
    }
}
