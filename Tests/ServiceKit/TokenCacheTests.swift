import Testing
import Wire

@testable import ServiceKit

@Suite("Token cache")
struct TokenCacheTests {
    private func identity(_ user: Int64) -> Authenticator.Identity {
        Authenticator.Identity(
            caller: Caller(user: UserID(user), session: SessionID(user)), profile: "sooda",
            expires: Timestamp(seconds: 100))
    }

    private func token(_ number: Int64) -> [UInt8] { Array("header.claims.signature-\(number)".utf8) }

    @Test("A hit requires all bytes of the token to be equal")
    func wholeToken() {
        var cache = TokenCache(capacity: 4)
        cache.insert(identity(1), for: Array("x.claims.signature-1".utf8).span)
        #expect(cache.identity(for: Array("x.claims.signature-1".utf8).span) == identity(1))
        #expect(cache.identity(for: Array("y.claims.signature-1".utf8).span) == nil)
        #expect(cache.identity(for: Array("x.claims.signature-1 ".utf8).span) == nil)
    }

    @Test("Tokens with the same slots do not evict each other")
    func neighbours() {
        var cache = TokenCache(capacity: 4)
        for user in 1...4 as ClosedRange<Int64> { cache.insert(identity(user), for: token(user).span) }
        for user in 1...4 as ClosedRange<Int64> { #expect(cache.identity(for: token(user).span) == identity(user)) }
    }

    @Test("A new token evicts the least recently used one")
    func oldest() {
        var cache = TokenCache(capacity: 4)
        for user in 1...4 as ClosedRange<Int64> { cache.insert(identity(user), for: token(user).span) }
        _ = cache.identity(for: token(1).span)
        cache.insert(identity(5), for: token(5).span)
        let known = (1...5 as ClosedRange<Int64>).filter { cache.identity(for: token($0).span) != nil }
        #expect(known == [1, 3, 4, 5])
    }

    @Test("A token that is verified again has its new content, and takes no second slot")
    func again() {
        var cache = TokenCache(capacity: 4)
        for user in 1...4 as ClosedRange<Int64> { cache.insert(identity(user), for: token(user).span) }
        _ = cache.identity(for: token(1).span)
        cache.insert(identity(9), for: token(1).span)
        let known = (1...4 as ClosedRange<Int64>).map { cache.identity(for: token($0).span) }
        #expect(known == [identity(9), identity(2), identity(3), identity(4)])
    }
}
