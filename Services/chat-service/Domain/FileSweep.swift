import EventLoop
import ServiceKit
import Wire

/// Forgets, from time to time, the uploads and files of sends that a crash cut off before their commit.
struct FileSweep: Sendable {
    let attachments: Attachments

    /// No send takes longer from its first file to its commit.
    private static let age = Duration.seconds(3600)
    private static let interval = Duration.seconds(600)

    /// Sweeps until cancelled.
    func run(on loop: EventLoop) async throws {
        while !Task.isCancelled {
            try await attachments.files.dropAbandonedUploads()
            _ = try await attachments.sweep(notedBefore: .now - Self.age)
            try await loop.sleep(for: Self.interval)
        }
    }
}
