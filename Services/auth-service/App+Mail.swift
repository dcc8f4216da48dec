import EventLoop
import Mail
import ServiceKit
import Wire

extension App {
    /// Builds the outbox of mails, and its delivery if the settings name a mail server or a folder.
    static func assembleMail(_ service: ServiceBuilder, _ store: MailStore) throws -> MailOutbox {
        let settings = try MailSettings(service.config)
        let signal = WakeSignal()
        let transport: (any MailTransport)? =
            if let server = settings.server {
                SMTPClient(server, connections: MailDelivery.concurrency)
            } else {
                settings.folder.map { MailFolder(at: $0, pool: service.pool) }
            }
        if let transport {
            let delivery = MailDelivery(
                store: store, transport: transport, codes: CodeGenerator(credential: service.credential),
                invitations: InvitationTokens(credential: service.credential),
                sender: settings.sender, lease: settings.timeout + .seconds(30),
                metrics: MailMetrics(service.metrics), signal: signal, log: service.log)
            service.background("mail delivery") { try await delivery.run(on: $0) }
            let loop = service.loops.loops[0]
            service.atDrain {
                try await delivery.stop(on: loop)
                transport.close()
            }
            service.queue("mail", length: store.length)
        } else {
            // Mails that waited when the server was taken from the settings.
            service.background("mails without a server", every: .seconds(3600)) {
                try await store.deleteExpired(at: .now)
            }
        }
        service.background("old counts of notices", every: .seconds(3600)) {
            try await store.forgetNotices(at: .now)
        }
        return MailOutbox(
            store: store, isSetUp: transport != nil, lifetime: settings.lifetime, signal: signal, log: service.log)
    }

    /// Builds the changes of passwords and addresses, and the removal of old codes and devices.
    static func assembleCredentials(
        _ service: ServiceBuilder, _ stores: CredentialStores, accounts: Accounts, mails: MailOutbox,
        sessions: Sessions, factors: SecondFactors, facts: AccountFactPublisher, throttle: LoginThrottle
    ) -> Credentials {
        let limits = CodeSettings(service.config).limits
        service.background("old codes and devices", every: .seconds(600)) {
            try await stores.codes.deleteOld(before: Timestamp.now - max(Codes.window, limits.lifetime))
            try await stores.devices.forget(before: Timestamp.now - NewDevices.retention)
        }
        return Credentials(
            store: stores.credentials, accounts: accounts,
            codes: Codes(
                store: stores.codes, generator: CodeGenerator(credential: service.credential), mails: mails,
                limits: limits),
            mails: mails, sessions: sessions, factors: factors, facts: facts, throttle: throttle)
    }
}
