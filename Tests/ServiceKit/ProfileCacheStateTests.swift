import Contract
import Testing
import Wire

@testable import ServiceKit

@Suite("State of a cache of profiles")
struct ProfileCacheStateTests {
    private var state = ProfileCacheState(capacity: 100)
    private let one = UserID(1)
    private let two = UserID(2)

    private mutating func fetch(_ users: UserID...) -> ProfileCacheState.Fetch {
        state.fetch(users) { _ in Task { [:] } }
    }

    private func profile(_ version: Int64) -> AuthClient.Profile {
        let member = MemberView(id: one, email: "a@a.kr", nickname: "v\(version)", profileImage: nil)
        return AuthClient.Profile(member: member, version: version)
    }

    @Test("A lookup waits for a fetch of the same user until the fetch has ended")
    mutating func joined() {
        let fetch = fetch(one)
        #expect(state.lookup([one, two], oldest: 0).awaited == [fetch: [one]])
        #expect(state.lookup([one, two], oldest: 0).missing == [two])
        state.end(fetch.number, for: [one])
        #expect(state.lookup([one], oldest: 0).missing == [one])
    }

    @Test("A lookup after a change does not wait for a fetch that began before it")
    mutating func overtaken() {
        let first = fetch(one)
        state.profileChanged(one, version: 2)
        #expect(state.lookup([one], oldest: 0).missing == [one])
        let second = fetch(one)
        state.end(first.number, for: [one])
        #expect(state.lookup([one], oldest: 0).awaited == [second: [one]])
        state.invalidateAll(now: 5)
        #expect(state.lookup([one], oldest: 0).missing == [one])
    }

    @Test("The reply of a fetch that began before a change is not fresh, with an older profile in the cache as well")
    mutating func outdatedReply() {
        for known in [nil, 1] as [Int64?] {
            state = ProfileCacheState(capacity: 100)
            if let known { state.store([profile(known)], fetchedAt: 1) }
            state.profileChanged(one, version: 2)
            _ = fetch(one)
            state.profileChanged(one, version: 3)
            state.store([profile(2)], fetchedAt: 2)
            #expect(state.lookup([one], oldest: 0).fresh.isEmpty)
            #expect(state.lookup([one], oldest: 0).old[one]?.nickname == "v2")
            state.store([profile(3)], fetchedAt: 3)
            #expect(state.lookup([one], oldest: 0).fresh[one]?.nickname == "v3")
        }
    }

    @Test(
        "A hint that comes late, behind that of a later change, does not make the reply from before that change fresh")
    mutating func lateHint() {
        _ = fetch(one)
        state.profileChanged(one, version: 3)
        state.profileChanged(one, version: 2)
        state.store([profile(2)], fetchedAt: 1)
        #expect(state.lookup([one], oldest: 0).fresh.isEmpty)
        state.store([profile(3)], fetchedAt: 2)
        #expect(state.lookup([one], oldest: 0).fresh[one]?.nickname == "v3")
    }
}
