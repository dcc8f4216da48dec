import Contract
import ServiceKit

extension App {
    /// Builds the exports of accounts and the job that makes them.
    static func assembleExports(
        _ service: ServiceBuilder, _ store: ExportStore, files: any FileStore, mails: MailOutbox,
        facts: AccountFactPublisher
    ) -> Exports {
        let settings = ExportSettings(service.config)
        let signal = WakeSignal()
        func client(_ peer: String) -> ExportClient {
            ExportClient(service.internalClient(peer, deadline: .seconds(20)))
        }
        let job = ExportJob(
            store: store,
            builder: ExportBuilder(
                sources: ExportSources(
                    store: store, files: files, workspaces: client(service.peers.workspace),
                    chats: client(service.peers.chat), payments: client(service.peers.payment)),
                files: files, limit: settings.size),
            mails: mails, settings: settings, metrics: ExportMetrics(service.metrics), signal: signal, log: service.log)
        service.background("exports") { try await job.run(on: $0) }
        service.background("expired exports", every: .seconds(30), job.sweep)
        service.queue("export", length: store.length)
        return Exports(
            store: store, facts: facts, links: ExportLinks(credential: service.credential), files: files,
            interval: settings.interval, signal: signal)
    }
}
