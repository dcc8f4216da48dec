import Contract
import Redis
import ServiceKit
import Wire

/// Tells gateways of a late answer that is for one member alone.
struct PrivateAnswerPublisher: Sendable {
    let redis: Redis

    func publish(_ answer: PrivateAnswer, to user: UserID) {
        redis.publish(PrivateAnswerHint(user: user, answer: answer))
    }
}
