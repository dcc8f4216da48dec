import Contract
import EventLoop
import ServiceKit

extension App {
    /// Builds the end of sign-ins, with second factors.
    static func assembleSignIn(
        _ service: ServiceBuilder, _ stores: SecondFactorStores, sessions: Sessions, workspaces: WorkspaceClient,
        newDevices: NewDevices, mails: MailOutbox, facts: AccountFactPublisher
    ) -> SignInFinish {
        let settings = SecondFactorSettings(service.config, credential: service.credential)
        let factors = SecondFactors(
            store: stores.factors, secrets: settings.secrets, sessions: sessions, mails: mails, facts: facts,
            issuer: settings.issuer)
        let tickets = SignInTickets(factors: factors, store: stores.tickets)
        service.background("old sign-in tickets", every: .seconds(600), tickets.forget)
        return SignInFinish(
            sessions: sessions, autoJoin: AutoJoin(workspaces: workspaces), newDevices: newDevices, tickets: tickets)
    }

    /// Builds the sign-in with OpenID Connect issuers.
    static func assembleOIDC(
        _ service: ServiceBuilder, _ store: OIDCStore, accounts: SocialAccounts, finish: SignInFinish
    ) throws -> OIDCRoutes {
        let settings = try OIDCSettings(service.config)
        let issuers = settings.issuers.map { registration in
            OIDCIssuer(
                registration, on: service.loops.loops[0], http: service.provider("oidc"),
                keyInterval: settings.keyInterval, deadline: service.config[AuthSettings.providerDeadlineKey])
        }
        let signIns = OIDCSignIns(issuers: issuers, store: store, accounts: accounts)
        service.background("old sign-ins with issuers", every: .seconds(600), signIns.forget)
        return OIDCRoutes(signIns: signIns, finish: finish)
    }
}
