import Contract
import ServiceKit

extension App {
    /// Builds the deletion of accounts and the job that takes it to its end.
    static func assembleErasures(
        _ service: ServiceBuilder, _ store: ErasureStore, _ settings: AuthSettings, sessions: Sessions,
        facts: AccountFactPublisher, workspaces: WorkspaceClient, mails: MailOutbox, portraits: Pictures
    ) throws -> Erasures {
        let grants = try GrantSettings(service.config)
        let deadline = service.config[AuthSettings.providerDeadlineKey]
        let signal = WakeSignal()
        let job = ErasureJob(
            store: store, facts: facts,
            grants: ProviderGrants(
                kakao: KakaoGrants(
                    http: service.provider("kakao"), base: settings.kakaoURL, adminKey: grants.kakaoAdminKey,
                    deadline: deadline),
                apple: AppleGrants(
                    http: service.provider("apple"), base: settings.appleURL, key: grants.appleKey,
                    team: grants.appleTeam, deadline: deadline)),
            metrics: ErasureMetrics(service.metrics), signal: signal, log: service.log)
        service.background("erasures") { try await job.run(on: $0) }
        service.background("finished erasures", every: .seconds(3600), job.forget)
        service.queue("erasure", length: store.length)
        return Erasures(
            store: store, sessions: sessions, facts: facts, workspaces: workspaces, mails: mails, portraits: portraits,
            signal: signal)
    }
}
