import EventLoop
import Wire

/// The workspaces that could not be read, and until when they are left out: each failure doubles the time, up to a minute. So a
/// server that gives no answer holds few connections, and calls for many workspaces seldom wait for it.
///
/// Moments are in the time of `EventLoop.preciseNow`.
struct LostWorkspaces: Sendable {
    private struct Loss {
        var pause: Duration
        var end: UInt64
    }

    /// How long a workspace is left out after its first failure.
    private let pause: Duration
    private var losses: [WorkspaceID: Loss] = [:]

    private static let longestPause = Duration.seconds(60)

    init(pause: Duration) { self.pause = pause }

    func contains(_ workspace: WorkspaceID, at now: UInt64) -> Bool { losses[workspace].map { now < $0.end } ?? false }

    /// Whether the last read of a workspace has failed, also if it may be tried again by now.
    func hasFailed(_ workspace: WorkspaceID) -> Bool { losses[workspace] != nil }

    /// Notes a failure. Reads that fail side by side count once.
    mutating func insert(_ workspace: WorkspaceID, at now: UInt64) {
        if contains(workspace, at: now) { return }
        let length = losses[workspace].map { min(Self.longestPause, $0.pause * 2) } ?? pause
        losses[workspace] = Loss(pause: length, end: now + length.wholeNanoseconds)
    }

    mutating func remove(_ workspace: WorkspaceID) { losses[workspace] = nil }

    mutating func removeAll() { losses.removeAll() }
}
