import Contract
import ServiceKit
import Telemetry

/// Reports, the standing of members and filtered words.
struct Safety: Sendable {
    let reports: Reports
    private let moderation: Moderation
    private let watch: ReportWatch

    init(
        _ service: ServiceBuilder, reports store: ReportStore, standings: StandingStore, cache: ModerationCache,
        hints: RepeatedHints, access: RoomAccess, messages: MessageStore, names: RoomNames, changes: MessageChanges
    ) {
        let publisher = ModerationPublisher(hints: hints, cache: cache)
        let (limits, files) = (ReportLimits(service.config), changes.attachments.files)
        let pictures = ReportPictures(
            store: store.pictures, leases: store.leases, files: files,
            auth: AuthClient(service.internalClient(service.peers.auth)), workspaces: access.workspaces,
            log: service.log)
        reports = Reports(
            store: store, access: access, messages: messages, names: names, changes: changes, publisher: publisher,
            pictures: pictures, limits: limits)
        moderation = Moderation(store: standings, access: access, publisher: publisher)
        watch = ReportWatch(store: store, files: files, limits: limits)
    }

    /// Starts the background work, and shows the queue on the metrics page.
    func begin(in service: ServiceBuilder) {
        service.queue("reports", length: reports.store.length)
        service.metrics.add(watch)
        service.background("overdue reports", every: .seconds(15), watch.count)
        service.background("answered reports", every: .seconds(3600), watch.erase)
        service.background("pictures of reports", reports.pictures.run)
        service.background("pictures of older reports", every: .seconds(3600), reports.pictures.noteOlder)
    }

    func register(in routes: inout PublicRoutes) {
        ReportRoutes(reports: reports).register(in: &routes)
        ModerationRoutes(moderation: moderation).register(in: &routes)
    }

    func register(in routes: inout OperatorRoutes) { ReportRoutes(reports: reports).register(in: &routes) }

    func register(in routes: inout InternalRoutes) {
        ReportRoutes(reports: reports).register(in: &routes)
        ModerationRoutes(moderation: moderation).register(in: &routes)
    }
}
