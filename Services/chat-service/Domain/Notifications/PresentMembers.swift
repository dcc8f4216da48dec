import Contract
import ServiceKit
import Telemetry
import Wire

/// Finds the members of a room that `@here` reaches: those that realtime-gateway calls present now, except the author, members
/// that have blocked the author, and members that do not share their presence.
///
/// A member that the author has blocked is reached. Otherwise they could tell the block from a mention that all others get.
struct PresentMembers: Sendable {
    let gateway: RealtimeClient
    let members: RoomMembers
    let blocks: BlockCache
    let settings: SettingsStore
    /// The messages of a user for which present members are found.
    let quota: BucketTable<UserID>
    let metrics: PresenceMetrics

    /// Returns nil if the gateway does not answer in time, and for a user with too many messages with `@here`: a row for each
    /// member that it reaches holds up the commits of others. `@here` then reaches all members, because a lost notification
    /// does more harm than one too many.
    func find(in target: MessageTarget, for author: UserID) async throws -> [UserID]? {
        guard quota.take(author) == nil else {
            metrics.limited.increment()
            return nil
        }
        let begin = ContinuousClock.now
        do {
            let ids = try await members.ids(of: target.room, in: target.workspace, member: author)
            let blockers = Set(try await blocks.blocks(of: author).blockers)
            let others = ids.filter { $0 != author && !blockers.contains($0) }
            let present = try await gateway.present(among: others, in: target.room)
            let hidden = try await settings.hidden(among: present)
            metrics.answered(after: .now - begin)
            return present.filter { !hidden.contains($0) }
        } catch let error as CancellationError {
            throw error
        } catch {
            metrics.unanswered.increment()
            return nil
        }
    }
}

/// The metrics of looking for present members.
struct PresenceMetrics: Sendable {
    let unanswered, limited: Counter
    private let answered: Counter
    private let time: Histogram

    init(_ metrics: MetricsRegistry) {
        func counter(_ outcome: String) -> Counter {
            metrics.counter(
                "maru_here_lookups_total", "Messages with @here, by whether realtime-gateway told the present members.",
                labels: ["outcome": outcome])
        }
        answered = counter("answered")
        unanswered = counter("unanswered")
        limited = counter("limited")
        time = metrics.histogram(
            "maru_here_lookup_seconds", "The time in which the present members were found.", labels: [:],
            buckets: .latency)
    }

    func answered(after time: Duration) {
        answered.increment()
        self.time.observe(time)
    }
}
