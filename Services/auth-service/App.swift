import Contract
import Crypto
import EventLoop
import Postgres
import Redis
import ServiceKit
import Wire

/// Accounts, sessions, tokens, devices and profiles.
@main
enum App {
    static func main() {
        Service.main(
            "auth-service", settings: AuthSettings.entries, migrations: Migrations.all, reference: Reference.all,
            assemble: assemble)
    }

    /// Builds every part from the settings and passes it on by initialiser.
    static func assemble(_ service: ServiceBuilder) async throws {
        let settings = AuthSettings(service.config)
        let database = try await service.database("auth", migrations: Migrations.all)
        let redis = try service.redis()
        let accountStore = AccountStore(database: database)
        try await service.retryWhileUnavailable { try await accountStore.recomputeInexactKeys() }
        let identities = IdentityStore(database: database)
        let sessionStore = SessionStore(database: database)
        let devices = DeviceStore(database: database)
        let signingKeys = try await service.retryWhileUnavailable {
            try await SigningKeys(
                store: SigningKeyStore(database: database), rotation: settings.keyRotation,
                tokenLifetime: service.profiles.longestTokenLifetime)
        }
        let authority = LocalAuthority(
            signingKeys: signingKeys, sessions: sessionStore, bots: BotTokenStore(database: database))
        service.verifyTokens(by: authority)
        service.background("signing keys", every: .seconds(60)) { try await signingKeys.refresh() }
        service.background("expired sessions", every: .seconds(600)) { try await sessionStore.deleteExpired(at: .now) }
        let publisher = RevocationPublisher(redis: redis, revocations: try service.access().revocations)
        let hints = RepeatedHints(redis: redis, on: service.loops)
        let facts = AccountFactPublisher(
            outbox: service.outbox(of: AccountFact.self, in: database, to: redis), hints: hints)
        let sessions = Sessions(
            store: sessionStore, devices: devices, issuer: TokenIssuer(keys: signingKeys),
            publisher: publisher, facts: facts,
            refreshes: BucketTable(rate: settings.refreshes.rate, burst: settings.refreshes.burst))
        let workspaces = WorkspaceClient(service.internalClient(service.peers.workspace))
        let profiles = Profiles(store: accountStore, facts: facts, workspaces: workspaces)
        let pictures = Pictures(
            in: try service.fileStore(folders: [ProfileImages.folder, Exports.folder]), unusedIn: "unused_portrait",
            of: database, retention: settings.pictures.retention,
            previews: service.picturePreviews(within: settings.pictures.previews))
        service.background("unused profile images", pictures.run)
        let profileImages = ProfileImages(pictures: pictures, profiles: profiles)
        let accounts = Accounts(
            store: accountStore,
            passwords: Passwords(settings.hashing, service.metrics))
        let coins = Coins(
            payments: PaymentClient(service.internalClient(service.peers.payment, deadline: Coins.deadline)),
            log: service.log)
        let providerDeadline = service.config[AuthSettings.providerDeadlineKey]
        let kakao = Kakao(
            http: service.provider("kakao"), base: settings.kakaoURL, appID: settings.kakaoAppID,
            deadline: providerDeadline)
        let apple = Apple(
            keys: ProviderKeys(
                on: service.loops.loops[0], http: service.provider("apple"), url: settings.appleURL + "/auth/keys",
                interval: settings.appleKeyInterval, deadline: providerDeadline),
            clientIDs: settings.appleClientIDs, nonces: NonceStore(database: database))
        let links = try service.fileLinks()
        let mails = try assembleMail(service, MailStore(database: database))
        let bots = Bots(
            store: BotStore(database: database),
            tokens: BotTokens(store: BotTokenStore(database: database), publisher: publisher), facts: facts)
        try service.facts(WorkspaceFactConsumer(workspaces: workspaces, mails: mails, bots: bots).handle)
        let throttle = LoginThrottle(shared: LoginFailureStore(redis: redis))
        let credentialStores = CredentialStores(database: database)
        let newDevices = NewDevices(
            store: credentialStores.devices, mails: mails, credential: service.credential, log: service.log)
        let finish = assembleSignIn(
            service, SecondFactorStores(database: database), sessions: sessions, workspaces: workspaces,
            newDevices: newDevices, mails: mails, facts: facts)
        let credentials = assembleCredentials(
            service, credentialStores, accounts: accounts, mails: mails, sessions: sessions,
            factors: finish.tickets.factors, facts: facts, throttle: throttle)
        let social = SocialAccounts(store: accountStore, identities: identities)
        let oidcRoutes = try assembleOIDC(service, OIDCStore(database: database), accounts: social, finish: finish)
        let confirmation = DeletionConfirmation(
            credentials: credentials, identities: identities, kakao: kakao, apple: apple, issuers: oidcRoutes.signIns)
        let erasures = try assembleErasures(
            service, ErasureStore(database: database), settings, sessions: sessions, facts: facts,
            workspaces: workspaces, mails: mails, portraits: pictures)
        let erasureRoutes = ErasureRoutes(erasures: erasures, confirmation: confirmation)
        let secondFactorRoutes = SecondFactorRoutes(
            factors: finish.tickets.factors, accounts: accountStore, confirmation: confirmation, finish: finish)
        let exports = assembleExports(
            service, ExportStore(database: database), files: pictures.files, mails: mails, facts: facts)
        let operatorAccounts = OperatorAccounts(
            store: OperatorStore(database: database), sessions: sessions, factors: finish.tickets.factors,
            erasures: erasures, exports: exports)
        let exportRoutes = ExportRoutes(exports: exports)
        let blockRoutes = BlockRoutes(
            blocks: Blocks(
                store: BlockStore(database: database), publisher: BlockPublisher(hints: hints), workspaces: workspaces,
                limit: service.config[AuthSettings.blockLimitKey]))
        let profileImageRoutes = ProfileImageRoutes(
            profileImages: profileImages, imageSize: settings.imageSize, links: links)
        service.publicRoutes { routes in
            JoinRoutes(
                accounts: accounts, sessions: sessions, autoJoin: finish.autoJoin, newDevices: newDevices,
                joins: JoinThrottle(settings.joins)
            ).register(in: &routes)
            LoginRoutes(
                accounts: accounts, throttle: throttle, finish: finish, social: social,
                kakao: kakao, apple: apple
            ).register(in: &routes)
            CredentialRoutes(credentials: credentials, requests: CodeSettings(service.config).buckets)
                .register(in: &routes)
            erasureRoutes.register(in: &routes)
            exportRoutes.register(in: &routes)
            secondFactorRoutes.register(in: &routes)
            oidcRoutes.register(in: &routes)
            blockRoutes.register(in: &routes)
            SessionRoutes(sessions: sessions, store: sessionStore).register(in: &routes)
            profileImageRoutes.register(in: &routes)
            DeviceRoutes(devices: devices).register(in: &routes)
            ProfileRoutes(
                profiles: profiles, reader: ProfileReader(accounts: accountStore, coins: coins, on: service.loops),
                system: settings.system
            ).register(in: &routes)
        }
        let operatorRoutes = AccountOperatorRoutes(accounts: operatorAccounts)
        service.operatorRoutes { operatorRoutes.register(in: &$0) }
        service.internalRoutes { routes in
            DirectoryRoutes(accounts: accountStore, devices: devices, authority: authority).register(in: &routes)
            erasureRoutes.registerInternal(in: &routes)
            blockRoutes.registerInternal(in: &routes)
            profileImageRoutes.registerInternal(in: &routes)
            MailRoutes(notices: NoticeMails(outbox: mails, secondFactors: SecondFactorStore(database: database)))
                .registerInternal(in: &routes)
            BotRoutes(bots: bots).registerInternal(in: &routes)
            secondFactorRoutes.registerInternal(in: &routes)
            operatorRoutes.registerInternal(in: &routes)
        }
    }
}
