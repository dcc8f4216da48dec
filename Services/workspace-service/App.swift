import Contract
import EventLoop
import Postgres
import Redis
import ServiceKit
import Wire

/// Workspace-service: workspaces, members and channels.
@main
enum App {
    static func main() {
        Service.main(
            "workspace-service", settings: WorkspaceSettings.entries, migrations: Migrations.all,
            reference: Reference.all, assemble: assemble)
    }

    /// The composition root: builds everything from the settings and passes it down by initialisers.
    static func assemble(_ service: ServiceBuilder) async throws {
        let settings = WorkspaceSettings(service.config)
        let database = try await service.database("workspace", migrations: Migrations.all)
        let redis = try service.redis()
        let subscriber = try service.subscriber()
        let auth = AuthClient(service.internalClient(service.peers.auth))
        let profiles = ProfileCache(auth: auth, on: service.loops)
        _ = profiles.follow(subscriber, on: service.loops.loops[0])
        let (store, members) = (WorkspaceStore(database: database), MemberStore(database: database))
        let channelStore = ChannelStore(database: database)
        let channelMembers = ChannelMemberStore(database: database)
        let facts = WorkspaceFactPublisher(
            outbox: service.outbox(of: WorkspaceFact.self, in: database, to: redis),
            hints: RepeatedHints(redis: redis, on: service.loops))
        let audit = AuditLog(
            store: AuditStore(database: database), members: members, retention: settings.auditRetention)
        service.background("old audit entries", every: .seconds(3600), audit.expire)
        let workspaces = Workspaces(
            store: store, members: members, channels: channelStore, facts: facts,
            charges: CoinCharges(
                payments: PaymentClient(service.internalClient(service.peers.payment)),
                loops: service.loops,
                workspacePrice: settings.workspacePrice,
                log: service.log),
            audit: audit, limits: settings.workspaceLimits)
        let channels = Channels(
            workspaces: workspaces, store: channelStore, members: channelMembers, facts: facts,
            limits: settings.channelLimits)
        let queries = WorkspaceQueries(
            workspaces: store, members: members, channels: channelStore, channelMembers: channelMembers,
            profiles: profiles, system: settings.system)
        let pictures = Pictures(
            in: try service.fileStore(folders: CoverImages.Folder.allCases.map(\.rawValue)), unusedIn: "unused_cover",
            of: database, retention: settings.pictures.retention,
            previews: service.picturePreviews(within: settings.pictures.previews))
        service.background("unused covers", pictures.run)
        let covers = CoverImages(pictures: pictures)
        let system = SystemWorkspaces(
            workspaces: workspaces, slugs: Array(Set(service.profiles.all.flatMap(\.autoJoin))).sorted(),
            image: try await covers.storeDefault(), owner: settings.systemOwner, log: service.log)
        try await service.retryWhileUnavailable { try await system.prepare() }
        let memberships = Memberships(
            access: AccessStore(database: database), workspaces: store, channels: channels)
        let notices = SecondFactorNotices(store: SecondFactorNoticeStore(database: database), auth: auth)
        let secondFactors = SecondFactorRule(
            workspaces: workspaces, store: SecondFactorStore(database: database), notices: notices, auth: auth,
            profiles: profiles)
        service.background("second factors", every: .seconds(5), secondFactors.apply)
        service.background("forgotten second factors", every: .seconds(3600), secondFactors.findForgotten)
        service.background("notices of second factors", every: .seconds(5), notices.send)
        service.background("old notices of second factors", every: .seconds(3600), notices.forget)
        let settingsRoutes = SettingsRoutes(
            options: OptionsEditor(
                workspaces: workspaces, store: OptionsStore(database: database), secondFactors: secondFactors))
        let erasure = MemberErasure(
            workspaces: workspaces, store: ErasureStore(database: database), covers: covers)
        try service.facts(
            AccountFactConsumer(erasure: erasure, audit: audit, secondFactors: secondFactors, auth: auth).handle)
        let roles = MemberRoles(
            workspaces: workspaces, channelMembers: channelMembers, bans: BanStore(database: database),
            profiles: profiles)
        let invitationManager = InvitationManager(
            workspaces: workspaces, store: InvitationStore(database: database), channelMembers: channelMembers,
            auth: auth, profiles: profiles, limits: settings.invitationLimits,
            tokens: InvitationTokens(credential: service.credential))
        service.background("old invitations", every: .seconds(3600), invitationManager.forgetOld)
        let requests = JoinRequests(
            workspaces: workspaces, store: JoinRequestStore(database: database), profiles: profiles)
        service.background("declined join requests", every: .seconds(3600), requests.forgetDeclined)
        let invitationRoutes = InvitationRoutes(
            manager: invitationManager, requests: requests, link: settings.invitationLink)
        let operators = WorkspaceOperatorRoutes(
            workspaces: OperatorWorkspaces(
                store: OperatorStore(database: database), roles: roles,
                acts: OperatorActStore(database: database)))
        service.recordOperatorActs(by: operators.workspaces.acts.insert)
        service.operatorRoutes { operators.register(in: &$0) }
        let coverRoutes = CoverRoutes(covers: covers, memberships: memberships, links: try service.fileLinks())
        service.publicRoutes { routes in
            let imageSize = settings.imageSize
            WorkspaceRoutes(workspaces: workspaces, queries: queries, covers: covers, imageSize: imageSize)
                .register(in: &routes)
            MemberRoutes(
                workspaces: workspaces, queries: queries,
                invitations: Invitations(workspaces: workspaces, auth: auth, limits: settings.invitationLimits)
            ).register(in: &routes)
            invitationRoutes.register(in: &routes)
            settingsRoutes.register(in: &routes)
            RoleRoutes(roles: roles).register(in: &routes)
            AuditRoutes(audit: audit).register(in: &routes)
            BotRoutes(
                bots: Bots(
                    workspaces: workspaces, store: BotStore(database: database), auth: auth,
                    chat: ChatClient(service.internalClient(service.peers.chat)), profiles: profiles,
                    loops: service.loops, limits: settings.botLimits)
            ).register(in: &routes)
            coverRoutes.register(in: &routes)
            ChannelRoutes(channels: channels, queries: queries, covers: covers, imageSize: imageSize)
                .register(in: &routes)
        }
        service.internalRoutes { routes in
            ExportRoutes(store: ExportStore(database: database)).register(in: &routes)
            AccessRoutes(memberships: memberships, system: system, erasure: erasure).register(in: &routes)
            invitationRoutes.registerInternal(in: &routes)
            settingsRoutes.registerInternal(in: &routes)
            AuditRoutes(audit: audit).registerInternal(in: &routes)
            ModerationRoutes(
                removals: ReportRemovals(
                    workspaces: workspaces, bans: BanStore(database: database),
                    erasure: ErasureStore(database: database))
            ).register(in: &routes)
            coverRoutes.registerInternal(in: &routes)
            operators.registerInternal(in: &routes)
        }
    }
}
