import Contract
import ServiceKit
import Telemetry

/// Reports, the standing of members and filtered words.
struct Safety: Sendable {
    let reports: Reports
    private let moderation: Moderation
    private let watch: ReportWatch

    init(
        reports store: ReportStore, standings: StandingStore, cache: ModerationCache, hints: RepeatedHints,
        access: RoomAccess, messages: MessageStore, names: RoomNames, changes: MessageChanges, limits: ReportLimits
    ) {
        let publisher = ModerationPublisher(hints: hints, cache: cache)
        reports = Reports(
            store: store, access: access, messages: messages, names: names, changes: changes, publisher: publisher,
            limits: limits)
        moderation = Moderation(store: standings, access: access, publisher: publisher)
        watch = ReportWatch(store: store, files: changes.attachments.files, limits: limits)
    }

    /// Starts the background work, and shows the queue on the page of metrics.
    func begin(in service: ServiceBuilder) {
        service.queue("reports", length: reports.store.length)
        service.metrics.add(watch)
        service.background("overdue reports", every: .seconds(15), watch.count)
        service.background("answered reports", every: .seconds(3600), watch.erase)
    }

    func register(in routes: inout PublicRoutes) {
        ReportRoutes(reports: reports).register(in: &routes)
        ModerationRoutes(moderation: moderation).register(in: &routes)
    }

    func register(in routes: inout OperatorRoutes) { ReportRoutes(reports: reports).register(in: &routes) }

    func register(in routes: inout InternalRoutes) { ReportRoutes(reports: reports).register(in: &routes) }
}
