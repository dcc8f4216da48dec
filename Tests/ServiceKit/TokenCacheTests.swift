import Testing
import Wire

@testable import ServiceKit

@Suite("Token cache")
struct TokenCacheTests {
    private func entry(_ user: Int64) -> TokenCache.Entry {
        TokenCache.Entry(
            caller: Caller(user: UserID(user), session: SessionID(user)), expires: Timestamp(seconds: 100))
    }

    private func token(_ number: Int64) -> [UInt8] { Array("header.claims.signature-\(number)".utf8) }

    @Test("A hit requires all bytes of the token to be equal")
    func wholeToken() {
        var cache = TokenCache(capacity: 4)
        cache.insert(entry(1), for: Array("x.claims.signature-1".utf8).span)
        #expect(cache.entry(for: Array("x.claims.signature-1".utf8).span) == entry(1))
        #expect(cache.entry(for: Array("y.claims.signature-1".utf8).span) == nil)
        #expect(cache.entry(for: Array("x.claims.signature-1 ".utf8).span) == nil)
    }

    @Test("Tokens with the same slots do not evict each other")
    func neighbours() {
        var cache = TokenCache(capacity: 4)
        for user in 1...4 as ClosedRange<Int64> { cache.insert(entry(user), for: token(user).span) }
        for user in 1...4 as ClosedRange<Int64> { #expect(cache.entry(for: token(user).span) == entry(user)) }
    }

    @Test("A new token evicts the least recently used one")
    func oldest() {
        var cache = TokenCache(capacity: 4)
        for user in 1...4 as ClosedRange<Int64> { cache.insert(entry(user), for: token(user).span) }
        _ = cache.entry(for: token(1).span)
        cache.insert(entry(5), for: token(5).span)
        let known = (1...5 as ClosedRange<Int64>).filter { cache.entry(for: token($0).span) != nil }
        #expect(known == [1, 3, 4, 5])
    }
}
