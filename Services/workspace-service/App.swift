import Contract
import EventLoop
import Postgres
import Redis
import ServiceKit
import Wire

/// Workspaces, members, channels.
@main
enum App {
    static func main() {
        Service.main("workspace-service", settings: WorkspaceSettings.entries, assemble: assemble)
    }

    /// Builds everything from the settings and passes it down.
    static func assemble(_ service: ServiceBuilder) async throws {
        let settings = WorkspaceSettings(service.config)
        let database = try await service.database("workspace", migrations: Migrations.all)
        let redis = try service.redis()
        let subscriber = try service.subscriber()
        let auth = AuthClient(service.internalClient(service.peers.auth))
        let profiles = ProfileCache(auth: auth)
        _ = profiles.follow(subscriber)
        let (store, members) = (WorkspaceStore(), MemberStore())
        let (channelStore, channelMembers) = (ChannelStore(), ChannelMemberStore())
        let facts = WorkspaceFactPublisher(
            outbox: service.outbox(of: WorkspaceFact.self, in: database, to: redis), redis: redis)
        let workspaces = Workspaces(
            database: database, store: store, members: members, channels: channelStore,
            channelMembers: channelMembers, facts: facts,
            treasury: Treasury(
                payments: PaymentClient(service.internalClient(service.peers.payment)),
                workspacePrice: settings.workspacePrice,
                log: service.log))
        let channels = Channels(workspaces: workspaces, store: channelStore, members: channelMembers, facts: facts)
        let directory = Directory(
            database: database, workspaces: store, members: members, channels: channelStore,
            channelMembers: channelMembers, profiles: profiles)
        let pictures = Pictures(
            in: try service.fileStore(folders: Covers.Folder.allCases.map(\.rawValue)), unusedIn: "unused_cover",
            of: database)
        service.background("unused covers") { try await pictures.sweep() }
        let covers = Covers(pictures: pictures)
        let system = SystemWorkspaces(
            workspaces: workspaces, slugs: Array(Set(service.profiles.all.flatMap(\.autoJoin))).sorted(),
            image: try await covers.keepDefault(), owner: settings.systemOwner)
        try await system.prepare()
        service.publicRoutes { routes in
            let imageSize = settings.imageSize
            WorkspaceRoutes(workspaces: workspaces, directory: directory, covers: covers, imageSize: imageSize)
                .register(in: &routes)
            MemberRoutes(
                workspaces: workspaces, directory: directory,
                invitations: Invitations(workspaces: workspaces, auth: auth)
            ).register(in: &routes)
            CoverRoutes(covers: covers, access: AccessStore(database: database)).register(in: &routes)
            ChannelRoutes(channels: channels, directory: directory, covers: covers, imageSize: imageSize)
                .register(in: &routes)
        }
        service.internalRoutes { routes in
            AccessRoutes(
                database: database, access: AccessStore(database: database), members: members,
                channelMembers: channelMembers, channels: channels, system: system
            ).register(in: &routes)
        }
    }
}
