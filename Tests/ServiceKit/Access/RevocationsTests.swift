import Contract
import Crypto
import EventLoop
import Synchronization
import Testing
import Wire

@testable import ServiceKit

/// An authority that returns its revocations in pages of three.
private final class PagingAuthority: TokenAuthority {
    private let revoked = Mutex<[Revocation]>([])
    private let pages = Mutex(0)
    private let loops = Mutex<[EventLoop?]>([])

    /// The k-th revocation has the time of second k.
    init(_ count: Int) {
        revoked.withLock { revoked in
            revoked = (1...count).map {
                Revocation(session: SessionID(Int64($0)), user: UserID(1), at: Timestamp(seconds: Int64($0)))
            }
        }
    }

    func keys() async throws -> VerificationKeySet { VerificationKeySet([]) }

    func bot(of hash: [UInt8]) async throws -> BotIdentity? { nil }

    func revocations(since: Timestamp) async throws -> (revocations: [Revocation], now: Timestamp) {
        pages.withLock { $0 += 1 }
        loops.withLock { $0.append(.current) }
        await Task.yield()
        let page = revoked.withLock { $0.filter { $0.at >= since }.prefix(3) }
        return (Array(page), page.count < 3 ? Timestamp(seconds: 1000) : page.last!.at + .milliseconds(1))
    }

    func revoke(_ number: Int64, at seconds: Int64) {
        let revocation = Revocation(session: SessionID(number), user: UserID(1), at: Timestamp(seconds: seconds))
        revoked.withLock { $0.append(revocation) }
    }

    var asked: Int { pages.withLock(\.self) }

    /// The loop of each call; nil for a call from elsewhere.
    var callers: [EventLoop?] { loops.withLock(\.self) }
}

@Suite("Revocations")
final class RevocationsTests {
    private let loops = EventLoopGroup(count: 1)

    deinit { loops.stop() }

    /// Keeps all revocations since 1970.
    private func revocations(_ authority: PagingAuthority) -> Revocations {
        Revocations(authority: authority, memory: Timestamp.now - Timestamp(seconds: 0), on: loops.loops[0])
    }

    @Test("All revocations are fetched page by page, and later only new ones")
    func pages() async throws {
        let authority = PagingAuthority(20)
        let revocations = revocations(authority)
        try await revocations.catchUp()
        for number in 1...20 { #expect(revocations.contains(SessionID(Int64(number)))) }
        let first = authority.asked
        try await revocations.catchUp()
        #expect(authority.asked == first + 1)
        authority.revoke(21, at: 998)
        try await revocations.catchUp()
        #expect(revocations.contains(SessionID(21)))
    }

    @Test("A new revocation after a page of known ones is found")
    func knownPage() async throws {
        let authority = PagingAuthority(1)
        let revocations = revocations(authority)
        for number in 2...5 { authority.revoke(Int64(number), at: 994 + Int64(number) / 2) }
        try await revocations.catchUp()
        authority.revoke(6, at: 998)
        try await revocations.catchUp()
        #expect(revocations.contains(SessionID(6)))
    }

    @Test("A7: A revocation that becomes visible a minute after its time is found without a hint")
    func late() async throws {
        let authority = PagingAuthority(1)
        let revocations = revocations(authority)
        try await revocations.catchUp()
        authority.revoke(2, at: 940)
        for _ in 1...20 { try await revocations.catchUp() }
        #expect(revocations.contains(SessionID(2)))
    }

    @Test("Observers are called once for each revocation, even if it arrives several times")
    func observers() async throws {
        let authority = PagingAuthority(2)
        let revocations = revocations(authority)
        let told = Mutex<[SessionID]>([])
        revocations.observe { revocation in told.withLock { $0.append(revocation.session) } }
        for _ in 1...3 { try await revocations.catchUp() }
        let first = Revocation(session: SessionID(1), user: UserID(1), at: Timestamp(seconds: 1))
        #expect(!revocations.insert(first))
        #expect(told.withLock(\.self) == [SessionID(1), SessionID(2)])
    }

    @Test("A page of known revocations does not end the poll")
    func heardPage() async throws {
        let authority = PagingAuthority(20)
        let revocations = revocations(authority)
        for number in 1...3 {
            let at = Timestamp(seconds: Int64(number))
            revocations.insert(Revocation(session: SessionID(Int64(number)), user: UserID(1), at: at))
        }
        try await revocations.catchUp()
        #expect(revocations.contains(SessionID(20)))
    }

    @Test("Concurrent callers share the first poll: each page is fetched once")
    func together() async throws {
        let authority = PagingAuthority(20)
        let revocations = revocations(authority)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...50 {
                group.addTask {
                    try await revocations.requireKnowledge()
                    #expect(revocations.contains(SessionID(20)))
                }
            }
            try await group.waitForAll()
        }
        #expect(authority.asked == 7)
        #expect(authority.callers.allSatisfy { $0 === loops.loops[0] }, "the callers are on no loop")
    }

    /// So many revocations that old ones are removed, with the age of each.
    private func manyRevocations(_ age: (Int) -> Duration) -> Revocations {
        let revocations = Revocations(
            authority: PagingAuthority(1), memory: .seconds(3600), on: loops.loops[0])
        let now = Timestamp.now
        for number in 1...5000 {
            revocations.insert(
                Revocation(session: SessionID(Int64(number)), user: UserID(1), at: now - age(number)))
        }
        return revocations
    }

    @Test("A7: A revocation is kept as long as a token that a refresh made just before it became visible")
    func refreshUnderWay() {
        let revocations = manyRevocations { .seconds($0 == 1 ? 3660 : 7200) }
        #expect(revocations.contains(SessionID(1)))
    }

    @Test("Revocations older than the longest token lifetime are removed, and no others")
    func forgotten() {
        let revocations = manyRevocations { .seconds($0.isMultiple(of: 50) ? 3000 : 7200) }
        let kept = (1...5000).filter { revocations.contains(SessionID(Int64($0))) }
        #expect(kept.count < 1024 && kept.count(where: { $0.isMultiple(of: 50) }) == 100)
    }
}
