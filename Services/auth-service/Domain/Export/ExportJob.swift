import Contract
import EventLoop
import ServiceKit
import Telemetry
import Wire

/// Builds exports in the background, and erases the files of expired ones.
///
/// An instance leases an export while it builds it. A crash only delays it: another attempt begins anew.
struct ExportJob: Sendable {
    let store: ExportStore
    let builder: ExportBuilder
    let mails: MailOutbox
    let settings: ExportSettings
    let metrics: ExportMetrics
    let signal: WakeSignal
    let log: Log

    private static let searchInterval = Duration.seconds(5)
    private static let longestWait = Duration.seconds(600)
    /// How long a file may be without an export: from its record to the end of its build.
    private static let unfinished = Duration.seconds(3600)
    private static let filesAtOnce = 100

    /// Another instance builds the export, or the account is gone.
    struct LostLease: Error {}

    /// Builds until the task is cancelled.
    func run(on loop: EventLoop) async throws {
        while !Task.isCancelled {
            guard let order = try await store.take(at: .now, lease: ExportLease.length) else {
                try await signal.sleep(atMost: Self.searchInterval, on: loop)
                continue
            }
            do {
                try await build(order, on: loop)
            } catch is LostLease {
                log.info("an export was taken over", ["user": .id(order.account)])
            } catch {
                try Task.checkCancellation()
                try await handle(error, of: order)
            }
        }
    }

    private func build(_ order: ExportStore.Order, on loop: EventLoop) async throws {
        let lease = ExportLease(order: order, store: store)
        let upload = try await builder.build(of: order.account, at: .now, on: loop, keepLease: lease.keep)
        let name = ExportBuilder.fileName()
        // The record comes first, so that a crash leaves no file without one.
        try await store.record(name, of: order.account, due: .now + Self.unfinished)
        try await lease.kept(on: loop) { try await builder.files.keep(upload, as: name) }
        let now = Timestamp.now
        let isDone = try await store.transaction { tx in
            guard
                try await store.finish(order, file: name, size: upload.size, expiry: now + settings.lifetime, in: tx)
            else { return false }
            try await mails.notify(order.account, .exportReady, in: tx)
            return true
        }
        guard isDone else {
            try await store.makeDue(name)
            throw LostLease()
        }
        mails.wake()
        metrics.ready(size: upload.size, after: now - order.requestedAt)
    }

    private func handle(_ error: any Error, of order: ExportStore.Order) async throws {
        let now = Timestamp.now
        let isHopeless = error is ExportBuilder.TooLarge || now - order.requestedAt > settings.giveUpAfter
        if isHopeless {
            log.error("an export has failed", ["user": .id(order.account), "cause": .cause(error)])
            metrics.failed.increment()
            try await store.fail(order)
        } else {
            log.warning(
                "an export failed and will be retried",
                ["user": .id(order.account), "attempts": .count(order.attempts), "cause": .cause(error)])
            let wait = min(Self.longestWait, .seconds(1 << min(order.attempts, 10)))
            try await store.postpone(order, to: now + wait)
        }
    }

    /// Forgets expired exports and erases files that are due.
    func sweep() async throws {
        try await store.forget(expiredAt: .now)
        while case let names = try await store.dueFiles(at: .now, limit: Self.filesAtOnce), !names.isEmpty {
            try await builder.files.remove(names)
            try await store.forget(names)
        }
    }
}

/// The metrics of exports.
struct ExportMetrics: Sendable {
    let failed: Counter
    private let done: Counter
    private let bytes: Counter
    private let time: Histogram

    init(_ metrics: MetricsRegistry) {
        func counter(_ outcome: String) -> Counter {
            metrics.counter(
                "maru_exports_total", "Exports of accounts by their outcome.", labels: ["outcome": outcome])
        }
        done = counter("ready")
        failed = counter("failed")
        bytes = metrics.counter("maru_export_bytes_total", "Bytes of finished exports.")
        time = metrics.histogram(
            "maru_export_seconds", "From the request of an export to its end.", labels: [:])
    }

    func ready(size: Int, after time: Duration) {
        done.increment()
        bytes.increment(by: UInt64(size))
        self.time.observe(UInt64(max(0, time.wholeMilliseconds)) * 1_000_000)
    }
}
