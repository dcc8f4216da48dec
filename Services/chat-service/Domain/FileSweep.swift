import EventLoop
import ServiceKit
import Wire

/// Periodically removes the uploads and files of sends that ended in a crash before their commit.
struct FileSweep: Sendable {
    let attachments: Attachments

    /// Longer than any send takes from its first file to its commit.
    private static let age = Duration.seconds(3600)
    private static let interval = Duration.seconds(600)

    /// Sweeps until the task is cancelled.
    func run(on loop: EventLoop) async throws {
        while !Task.isCancelled {
            try await attachments.files.dropAbandonedUploads()
            _ = try await attachments.sweep(notedBefore: .now - Self.age)
            try await loop.sleep(for: Self.interval)
        }
    }
}
