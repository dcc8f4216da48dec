import Contract
import EventLoop
import ServiceKit
import Wire

/// Reads the starts of `/me` sockets that begin at the same time with one call to each service.
struct StartReads: Sendable {
    private struct Reader: Hashable {
        let user: UserID
        let profile: String
    }

    private let reads: GatheredReads<Reader, MeStart>

    static let usersPerCall = 8
    /// Channels in a call to chat-service. A user with more has a call of their own.
    static let channelsPerCall = 1000
    /// A loop's next call waits this long for the latest one, so that in a storm it is for many sockets.
    private static let overlap = Duration.milliseconds(100)

    init(workspaces: WorkspaceClient, chat: ChatClient, profiles: ClientProfiles, on loops: EventLoopGroup) {
        reads = GatheredReads(on: loops, limit: Self.usersPerCall, overlap: Self.overlap) { readers in
            var starts: [Reader: MeStart] = [:]
            for (name, group) in Dictionary(grouping: readers, by: \.profile) {
                guard let profile = profiles[name: name] else { continue }
                let found = try await Self.read(group.map(\.user), for: profile, workspaces, chat)
                for (user, start) in found { starts[Reader(user: user, profile: name)] = start }
            }
            return starts
        }
    }

    /// The start of a user's `/me` socket: all rooms of the user. Call it on a loop.
    func start(of user: UserID, for profile: ClientProfile) async throws -> MeStart {
        guard let start = try await reads.value(of: Reader(user: user, profile: profile.name)) else {
            throw Failure.unavailable
        }
        return start
    }

    private static func read(
        _ users: [UserID], for profile: ClientProfile, _ workspaces: WorkspaceClient, _ chat: ChatClient
    ) async throws -> [UserID: MeStart] {
        do {
            let known = Dictionary(try await workspaces.starts(of: users).map { ($0.id, $0) }) { first, _ in first }
            var starts: [UserID: MeStart] = [:]
            for part in parts(users.map { StartsRequest.User(id: $0, channels: known[$0]?.channels ?? []) }) {
                for start in try await chat.starts(of: part, for: profile) {
                    let user = known[start.user]
                    starts[start.user] = MeStart(
                        reply: start.rooms, whollySeen: Set(user?.whollySeen ?? []), channels: user?.channels ?? [])
                }
            }
            return starts
        } catch let failure as Failure where failure.code == .unknownRoute {
            // A service of an older release is asked for each user.
            var starts: [UserID: MeStart] = [:]
            for user in users { starts[user] = try? await read(user, for: profile, workspaces, chat) }
            return starts
        }
    }

    private static func read(
        _ user: UserID, for profile: ClientProfile, _ workspaces: WorkspaceClient, _ chat: ChatClient
    ) async throws -> MeStart {
        let channels = try await workspaces.channels(of: user)
            .map { MyRoomsRequest.Channel(id: $0.id, workspace: $0.workspace, name: $0.name) }
        let entered = Set(channels.map(\.workspace))
        async let known = entered.isEmpty ? [] : workspaces.access(of: user, workspaces: Array(entered)).workspaces
        let reply = try await chat.rooms(of: user, in: channels, for: profile)
        return MeStart(
            reply: reply, whollySeen: Set(try await known.filter { $0.memberRole != .guest }.map(\.id)),
            channels: channels)
    }

    /// Divides the users so that no part has too many channels.
    static func parts(_ users: [StartsRequest.User]) -> [[StartsRequest.User]] {
        var parts: [[StartsRequest.User]] = []
        var room = 0
        for user in users {
            if parts.isEmpty || user.channels.count > room {
                parts.append([])
                room = channelsPerCall
            }
            parts[parts.count - 1].append(user)
            room -= user.channels.count
        }
        return parts
    }
}
