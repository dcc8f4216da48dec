import Contract
import ServiceKit
import Wire

/// Accepts requests for exports, and hands out finished ones.
struct Exports: Sendable {
    let store: ExportStore
    let facts: AccountFactPublisher
    let links: ExportLinks
    let files: any FileStore
    let interval: Duration
    let signal: WakeSignal

    /// The folder of the files.
    static let folder = "exports"

    /// Orders an export, unless one is under way.
    ///
    /// - Throws: E98 if the last one is too recent.
    func request(_ account: UserID, from address: String, app: String) async throws -> ExportState {
        let now = Timestamp.now
        let isOrdered = try await facts.outbox.transaction { tx in
            guard try await store.request(account, at: now, notSince: now - interval, in: tx) else { return false }
            try await facts.exportRequested(
                AccountAct(user: account, at: now, address: address, app: app), in: tx)
            return true
        }
        if isOrdered {
            signal.wake()
            return .pending
        }
        switch try await store.find(account, at: now) {
        case (.pending, _): return .pending
        case (_, let requestedAt):
            throw Failure.tooManyCalls(retryAfter: max(.seconds(1), requestedAt + interval - now))
        }
    }

    func state(of account: UserID) async throws -> ExportState { try await store.find(account, at: .now).state }

    /// The export of a file name, for the holder of a link.
    ///
    /// - Throws: E13 if there is no such export or it has expired, E02 for a wrong signature.
    func download(_ name: String, signature: String) async throws -> StoredFile {
        guard let download = try await store.find(file: Self.path(name), at: .now) else { throw Failure.notFound }
        guard links.isValid(signature, for: download) else {
            throw Failure(.invalidToken, "The URL is not valid.")
        }
        return try await open(download)
    }

    /// The export of a file name, for its owner; E13 for everybody else.
    func download(_ name: String, by account: UserID) async throws -> StoredFile {
        guard let download = try await store.find(file: Self.path(name), at: .now), download.account == account else {
            throw Failure.notFound
        }
        return try await open(download)
    }

    private func open(_ download: ExportDownload) async throws -> StoredFile {
        guard let file = try await files.open(download.file) else { throw Failure.notFound }
        return file
    }

    private static func path(_ name: String) -> String { "\(folder)/\(name)" }
}
