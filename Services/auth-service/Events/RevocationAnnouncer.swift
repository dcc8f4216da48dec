import Redis
import ServiceKit
import Wire

/// Tells all services of a revocation at once; those who miss it ask for it.
struct RevocationAnnouncer: Sendable {
    let redis: Redis
    /// This service's own knowledge, which needs no detour.
    let revocations: Revocations

    func announce(_ revocation: Revocation) {
        revocations.insert(revocation)
        redis.hint(JSONWriter.bytes { $0.value(revocation) }, to: Revocation.channel)
    }
}
