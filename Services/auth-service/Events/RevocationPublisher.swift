import Contract
import Redis
import ServiceKit

/// Publishes revocations to all services. A service that misses the hint reads the revocation from this service later.
struct RevocationPublisher: Sendable {
    let redis: Redis
    /// The revocations that this service knows itself.
    let revocations: Revocations

    func publish(_ revocation: Revocation) {
        revocations.insert(revocation)
        redis.publish(revocation)
    }
}
