import Contract
import Crypto
import EventLoop
import ServiceSupport
import Synchronization
import Testing
import Wire

@testable import ServiceKit

/// An authority that counts how often its keys are fetched.
private final class CountingAuthority: TokenAuthority {
    private let key = SigningKey.generate().verificationKey
    private let count = Mutex(0)

    func keys() async throws -> VerificationKeySet {
        count.withLock { $0 += 1 }
        await Task.yield()
        return VerificationKeySet([key])
    }

    func revocations(since: Timestamp) async throws -> (revocations: [Revocation], now: Timestamp) { ([], .now) }

    func bot(of hash: [UInt8]) async throws -> BotIdentity? { nil }

    var fetches: Int { count.withLock(\.self) }
}

@Suite("Fetching keys")
struct KeyFetchTests {
    @Test("Many tokens with unknown keys cause at most one fetch a second")
    func unknownKeys() async throws {
        let loops = EventLoopGroup(count: 1)
        defer { loops.stop() }
        let authority = CountingAuthority()
        let revocations = Revocations(authority: authority, memory: .seconds(60), on: loops.loops[0])
        let authenticator = Authenticator(authority: authority, revocations: revocations, on: loops)
        let start = ContinuousClock.now
        await withTaskGroup { group in
            for user in 1...100 {
                group.addTask {
                    let token = Array(TokenIssuer().token(user: Int64(user)).utf8)
                    _ = try? await authenticator.identity(of: token, for: .access, from: "192.0.2.1")
                }
            }
        }
        let seconds = (ContinuousClock.now - start).components.seconds
        #expect(authority.fetches >= 1 && authority.fetches <= 2 + seconds)
    }
}
