import Contract
import EventLoop
import ServiceKit
import Telemetry
import Wire

/// Copies the pictures of reported users and workspaces, so that a report shows them after their owner has replaced or deleted them.
///
/// A report only notes its picture, and this copies it right afterwards: no report waits for a service that does not answer. A
/// picture that cannot be read now is read again later, on any instance.
struct ReportPictures: Sendable {
    let store: ReportPictureStore
    let leases: WorkspaceLeaseStore
    let files: any FileStore
    let auth: AuthClient
    let workspaces: WorkspaceClient
    let log: Log
    private let signal = WakeSignal()

    private enum Outcome {
        /// The bytes of the copy.
        case copied(Int)
        /// Why there will be no copy.
        case lost(String)
    }

    private static let pollInterval = Duration.seconds(5)
    private static let pageSize = 20
    /// The pause after the first failure; it doubles up to `longestPause`.
    private static let firstPause = Duration.seconds(5)
    private static let longestPause = Duration.seconds(3600)
    /// A week of failures.
    private static let mostAttempts = 180
    /// Bytes. The services that own pictures refuse larger uploads long before, by their `image_size`.
    private static let largest: Int64 = 64 << 20

    /// There may be a new picture.
    func wake() { signal.wake() }

    /// Copies until the task is cancelled.
    func run(on loop: EventLoop) async throws {
        while true {
            try await copyDue()
            try await signal.sleep(atMost: Self.pollInterval, on: loop)
        }
    }

    /// Copies the pictures that are due.
    func copyDue() async throws {
        let workspaces = try await store.workspacesWithDue(at: .now, by: leases)
        try await leases.each(of: workspaces, for: .reportPictures) { workspace in
            // A failure makes a picture due later, so that the pages end.
            while case let page = try await store.due(in: workspace, at: .now, limit: Self.pageSize), !page.isEmpty {
                for picture in page { try await settle(picture) }
            }
        }
    }

    /// Notes the pictures of reports from before this release, and those of instances that still run it. Called every hour.
    func noteOlder() async throws {
        while case let page = try await store.unnoted(limit: Self.pageSize, by: leases), !page.isEmpty {
            for picture in page { try await store.note(picture, at: .now) }
        }
        try await store.forgetErased(by: leases)
        wake()
    }

    private func settle(_ picture: PendingReportPicture) async throws {
        do {
            switch try await copy(picture) {
            case .copied(let size):
                if try await store.keep(picture, size: size) { return }
                // The report was erased meanwhile. The row goes last: the next attempt removes a copy that stays now.
                try await files.remove([picture.storeName])
                try await store.drop(picture)
            case .lost(let reason): try await lose(picture, because: reason)
            }
        } catch {
            try Task.checkCancellation()
            guard picture.attempts + 1 < Self.mostAttempts else {
                return try await lose(picture, because: "it could not be read for a week")
            }
            let pause = Self.firstPause * (1 << min(picture.attempts, 10))
            try await store.postpone(picture, to: .now + min(pause, Self.longestPause))
        }
    }

    private func lose(_ picture: PendingReportPicture, because reason: String) async throws {
        log.warning("the picture of a report is lost", ["report": .id(picture.report), "cause": .name(reason)])
        try await store.lose(picture)
    }

    private func copy(_ picture: PendingReportPicture) async throws -> Outcome {
        // A process ended between the copy and its record.
        if let stored = try await files.read(picture.storeName, from: 0, atMost: 0) { return .copied(stored.size) }
        let upload = try await files.begin()
        while true {
            guard let piece = try await piece(of: picture, from: Int64(upload.size)) else {
                return .lost("its owner has removed it")
            }
            guard piece.size <= Self.largest else { return .lost("it is too large") }
            try await upload.write(piece.bytes.span.bytes)
            if upload.size >= piece.size { break }
            guard !piece.bytes.isEmpty else { throw Failure.unavailable }
        }
        guard FileType(head: upload.head)?.isImage == true else { return .lost("it is not a picture") }
        let size = upload.size
        try await files.keep(upload, as: picture.storeName)
        return .copied(size)
    }

    private func piece(of picture: PendingReportPicture, from offset: Int64) async throws -> ExportFilePiece? {
        picture.isCover
            ? try await workspaces.piece(ofCover: picture.path, from: offset)
            : try await auth.piece(ofPortrait: picture.path, from: offset)
    }
}
