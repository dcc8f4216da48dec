internal import Contract
internal import EventLoop
internal import Telemetry

extension ServiceBuilder {
    /// Starts the service that has been built.
    func start() async throws -> RunningService {
        let readiness = Readiness(life.checks)
        let access = try access()
        let ids = IDSource(for: loops)
        let limits = callLimits
        let sharedLimits = SharedLimits(limits: limits, redis: try redis(), name: name)
        measured.redis = try redis()
        let stores = StoreMetrics(measured)
        metrics.add(stores)
        background("store metrics", every: StoreMetrics.interval, stores.measure)
        let replies = ReplyBudget(
            ReplyBudget.Limits(
                user: config[CommonSettings.userReplyBytes].bytes,
                address: config[CommonSettings.addressReplyBytes].bytes,
                process: config[CommonSettings.replyBytes].bytes))
        metrics.add(replies)
        background("call limits") { try await sharedLimits.run(on: $0) }
        let uploads = files.map { Uploads(store: $0, mostPixels: config[CommonSettings.imagePixels]) }
        let publicAPI = PublicAPI(
            mounts: api.mounts, routes: RouteTable(api.routes, metrics, uploads: uploads), profiles: profiles,
            authenticator: access.authenticator, limits: limits, replies: replies,
            proxies: proxies, ids: ids, tracer: tracer,
            journal: CallJournal(metrics, log: log, sample: LogSample(config[CommonSettings.logSample])))
        let developmentKeys = DevelopmentKeys(of: profiles, at: config[CommonSettings.publicAddress])
        developmentKeys?.write(to: log)
        addOperatorBasics(readiness)
        let pages = OperatorPages(
            name: name, log: log, readiness: readiness, metrics: metrics,
            warnings: developmentKeys.map { [$0.line] } ?? [], pool: pool)
        let internalAPI = InternalAPI(
            routes: api.internalRoutes.router, credential: BearerCredential(config[CommonSettings.credential]),
            operators: try operatorAPI(ids), ids: ids, tracer: tracer, pages: pages)
        return try await RunningService(self, api: publicAPI, internalAPI: internalAPI, readiness: readiness)
    }

    /// Sends spans to the collector until the service has stopped.
    func export(from tracer: Tracer, to url: String) {
        let exporter = SpanExporter(tracer: tracer, http: provider("collector"), url: url, service: name)
        background("traces", every: SpanExporter.interval, exporter.run)
        atEnd { [loops] in try await loops.loops[0].run { await exporter.finish() } }
    }

    /// Closes all open connections in reverse order; for a service that could not start.
    func close() async { for work in life.atEnd.reversed() { try? await work() } }

    /// The API gateways whose forwarding headers are trusted.
    public var proxies: TrustedProxies {
        TrustedProxies(
            config[CommonSettings.trustedProxies],
            credential: Array(config[CommonSettings.gatewayCredential].revealed.utf8))
    }

    private var callLimits: CallLimits {
        let keyRate = config[CommonSettings.keyRate]
        return CallLimits(
            perUser: (Double(config[CommonSettings.userRate]), Double(config[CommonSettings.userBurst])),
            perAddress: (Double(config[CommonSettings.addressRate]), Double(config[CommonSettings.addressBurst])),
            perKey: keyRate > 0 ? (Double(keyRate), Double(config[CommonSettings.keyBurst])) : nil)
    }
}
