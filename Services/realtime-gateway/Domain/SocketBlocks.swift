import Contract
import EventLoop
import ServiceKit
import Wire

/// The blocks of the users with connections on a loop, so that a broadcast knows which sockets are sent the blocked form.
///
/// A user's blocks are fetched with the first connection and again after each hint. While auth-service does not answer, the
/// last known ones hold, and an unknown user is served without blocks: an outage keeps nobody out.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop.
final class SocketBlocks: @unchecked Sendable {
    /// Reads the blocks of a user; nil for a user without any.
    typealias Reads = GatheredReads<UserID, AuthClient.Blocks>

    private struct Entry {
        var connections = 0
        var blocks: AuthClient.Blocks?
        /// The number of the latest fetch: an earlier one brings nothing.
        var fetch: UInt64 = 0
        /// Whether the first fetch has ended, by an answer or an error.
        var isSettled = false
        /// Joins that wait for that.
        var waiting: [UnsafeContinuation<Void, Never>] = []
    }

    private let loop: EventLoop
    private let reads: Reads
    private var entries: [UserID: Entry] = [:]
    private var fetchCount: UInt64 = 0
    /// For an author, the blockers with connections here.
    private var blockers: [UserID: Set<UserID>] = [:]
    /// For any user, those users with connections here that the user has blocked.
    private var blocked: [UserID: Set<UserID>] = [:]

    /// A join waits so long for the first answer.
    private static let firstAnswerTimeout = Duration.seconds(2)
    private static let firstPause = Duration.milliseconds(250)
    private static let longestPause = Duration.seconds(5)

    init(on loop: EventLoop, _ reads: Reads) {
        self.loop = loop
        self.reads = reads
    }

    // MARK: Reading

    /// The blockers of an author with connections here; nil for none.
    func blockers(of author: UserID) -> Set<UserID>? { blockers.isEmpty ? nil : blockers[author] }

    /// Whether a user with a connection here has blocked this author.
    func isBlocked(_ author: UserID, for user: UserID?) -> Bool {
        guard let user, let users = blockers(of: author) else { return false }
        return users.contains(user)
    }

    /// Whether one of the two has blocked the other, so that neither sees the other one typing or online.
    ///
    /// - Parameter local: a user with a connection here.
    func separates(_ user: UserID, from local: UserID) -> Bool {
        blockers[user]?.contains(local) == true || blocked[user]?.contains(local) == true
    }

    // MARK: Connections

    /// A connection of a user has been identified.
    func enter(_ user: UserID) {
        entries[user, default: Entry()].connections += 1
        if entries[user]?.connections == 1 { fetch(user) }
    }

    func leave(_ user: UserID) {
        guard var entry = entries[user] else { return }
        entry.connections -= 1
        entries[user] = entry
        guard entry.connections == 0 else { return }
        resume(user)
        replace(entry.blocks, with: nil, of: user)
        entries[user] = nil
    }

    /// Returns once the blocks of a user with a connection here are known, or cannot be known now.
    func settled(_ user: UserID) async {
        guard let entry = entries[user], !entry.isSettled else { return }
        let timer = loop.schedule(after: Self.firstAnswerTimeout) { [self] in resume(user) }
        await withUnsafeContinuation { entries[user]?.waiting.append($0) }
        timer.cancel()
    }

    // MARK: Changes

    /// Blocks of these users have changed.
    func changed(_ users: [UserID]) { for user in users where entries[user] != nil { fetch(user) } }

    /// Changes may have been missed.
    func allMayHaveChanged() { changed(Array(entries.keys)) }

    private func fetch(_ user: UserID) {
        fetchCount += 1
        let number = fetchCount
        entries[user]?.fetch = number
        Task.immediate(executorPreference: loop) { [self] in
            var backoff = Backoff(first: Self.firstPause, limit: Self.longestPause)
            while entries[user]?.fetch == number {
                do {
                    let found = try await reads.value(of: user)
                    guard entries[user]?.fetch == number else { return }
                    let blocks = found ?? AuthClient.Blocks(user: user, blocked: [], blockers: [])
                    replace(entries[user]?.blocks, with: blocks, of: user)
                    entries[user]?.blocks = blocks
                    return settle(user)
                } catch {
                    settle(user)
                    do { try await loop.sleep(for: backoff.next()) } catch { return }
                }
            }
        }
    }

    private func settle(_ user: UserID) {
        entries[user]?.isSettled = true
        resume(user)
    }

    private func resume(_ user: UserID) {
        let waiting = entries[user]?.waiting ?? []
        entries[user]?.waiting = []
        for waiter in waiting { waiter.resume() }
    }

    private func replace(_ old: AuthClient.Blocks?, with new: AuthClient.Blocks?, of user: UserID) {
        for author in old?.blocked ?? [] { Self.remove(user, of: author, from: &blockers) }
        for blocker in old?.blockers ?? [] { Self.remove(user, of: blocker, from: &blocked) }
        for author in new?.blocked ?? [] { blockers[author, default: []].insert(user) }
        for blocker in new?.blockers ?? [] { blocked[blocker, default: []].insert(user) }
    }

    private static func remove(_ user: UserID, of key: UserID, from table: inout [UserID: Set<UserID>]) {
        table[key]?.remove(user)
        if table[key]?.isEmpty == true { table[key] = nil }
    }
}
