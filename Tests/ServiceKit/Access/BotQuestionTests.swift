import Contract
import Crypto
import EventLoop
import Synchronization
import Testing
import Wire

@testable import ServiceKit

/// An authority with one bot. It counts how often it is asked about tokens of bots.
private final class BotAuthority: TokenAuthority {
    let secret = BearerSecret()
    private let count = Mutex(0)
    private let away = Mutex(false)

    /// Whether no question is answered.
    var isAway: Bool {
        get { away.withLock(\.self) }
        set { away.withLock { $0 = newValue } }
    }

    func keys() async throws -> VerificationKeySet { VerificationKeySet([]) }

    func revocations(since: Timestamp) async throws -> (revocations: [Revocation], now: Timestamp) { ([], .now) }

    func bot(of hash: [UInt8]) async throws -> BotIdentity? {
        count.withLock { $0 += 1 }
        if isAway { throw Failure.unavailable }
        guard hash == secret.hash else { return nil }
        return BotIdentity(user: UserID(9), session: SessionID(9), profile: "native", scopes: [.read])
    }

    var questions: Int { count.withLock(\.self) }
}

@Suite("Questions about tokens of bots")
final class BotQuestionTests {
    private let loops = EventLoopGroup(count: 1)
    private let authority = BotAuthority()
    private let authenticator: Authenticator

    init() {
        let revocations = Revocations(authority: authority, memory: .seconds(60), on: loops.loops[0])
        authenticator = Authenticator(authority: authority, revocations: revocations, on: loops)
    }

    deinit { loops.stop() }

    /// The error code for a token from an address; nil if it is valid.
    private func code(_ secret: BearerSecret, from address: String) async throws -> ErrorCode? {
        do {
            let token = Array(BotToken.text(of: secret).utf8)
            _ = try await authenticator.identity(of: token, for: .access, from: address)
            return nil
        } catch let failure as Failure {
            return failure.code
        }
    }

    @Test("A14: An address that shows many unknown tokens waits and asks auth-service nothing, and others do not wait")
    func unknown() async throws {
        var shown = 0
        while try await code(BearerSecret(), from: "192.0.2.1") == .invalidToken {
            shown += 1
            // The address gets ten further questions a second.
            try #require(shown < 1000 * BotQuestions.burst)
        }
        #expect(shown >= BotQuestions.burst)
        #expect(authority.questions == shown)
        #expect(try await code(BearerSecret(), from: "192.0.2.2") == .invalidToken)
        #expect(try await code(authority.secret, from: "192.0.2.2") == nil)
    }

    @Test("An address may have any number of questions about tokens of bots that exist")
    func known() async throws {
        for _ in 1...(3 * BotQuestions.burst) {
            #expect(try await code(authority.secret, from: "192.0.2.1") == nil)
        }
    }

    @Test("Questions that auth-service does not answer do not make an address wait")
    func away() async throws {
        authority.isAway = true
        for _ in 1...(3 * BotQuestions.burst) {
            #expect(try await code(authority.secret, from: "192.0.2.1") == .serverError)
        }
        authority.isAway = false
        #expect(try await code(authority.secret, from: "192.0.2.1") == nil)
    }
}
