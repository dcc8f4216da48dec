internal import Contract
internal import EventLoop
internal import Glibc
internal import Telemetry

extension ServiceBuilder {
    /// Starts what has been put together.
    func finish() async throws -> RunningService {
        let readiness = Readiness(checks)
        let access = try access()
        let ids = IDSource(for: loops)
        let limits = callLimits
        let sharing = LimitSharing(limits: limits, redis: try redis(), name: name)
        background("limits of calls") { [loops] in try await sharing.run(on: EventLoop.current ?? loops.loops[0]) }
        let api = PublicAPI(
            mounts: mounts, routes: RouteTable(routes, metrics, uploads: files), profiles: profiles,
            authenticator: access.authenticator, limits: limits,
            proxies: TrustedProxies(config[CommonSettings.trustedProxies]), ids: ids,
            journal: CallJournal(metrics, log: log))
        let internalAPI = InternalAPI(
            routes: internalRoutes.router, credential: Array(config[CommonSettings.credential].revealed.utf8),
            ids: ids, pages: OperatorPages(name: name, log: log, readiness: readiness, metrics: metrics, pool: pool))
        return try await RunningService(self, api: api, internalAPI: internalAPI, readiness: readiness)
    }

    /// Ends what was begun, the last first.
    func end() async { for ending in endings.reversed() { try? await ending() } }

    private var callLimits: CallLimits {
        let keyRate = config[CommonSettings.keyRate]
        return CallLimits(
            perUser: (Double(config[CommonSettings.userRate]), Double(config[CommonSettings.userBurst])),
            perAddress: (Double(config[CommonSettings.addressRate]), Double(config[CommonSettings.addressBurst])),
            perKey: keyRate > 0 ? (Double(keyRate), Double(config[CommonSettings.keyBurst])) : nil)
    }
}
