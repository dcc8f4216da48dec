import Contract
import EngineIO
import EventLoop
import SocketIO
import Wire

/// A socket as the gateway sees it: whose it is, and which rooms it is in.
///
/// - Note: `@unchecked Sendable` because it is confined to its socket's loop.
final class GatewayClient: SocketIOHandler, @unchecked Sendable {
    private let hub: LoopHub
    private let admission: Admission
    private var identity: Identity?
    private var members: [String: (room: RoomID, member: RoomMember)] = [:]
    private var isEnded = false

    init(_ client: SocketIOClient, identity: Identity?, hub: LoopHub, admission: Admission) {
        self.identity = identity
        self.hub = hub
        self.admission = admission
        hub.opened(client, self)
        if let session = identity?.session { hub.add(client, of: session) }
    }

    /// The client profile; `none` where it is not known.
    var profileName: String { identity?.profile.name ?? "none" }

    func join(_ namespace: String, _ authentication: SocketIOAuthentication, from client: SocketIOClient) {
        // The root is there for clients whose library joins it by itself; nothing happens in it.
        if namespace == "/" {
            client.accept(namespace)
            return
        }
        guard let room = Namespace.room(namespace) else {
            return client.refuse(namespace, message: "Invalid namespace")
        }
        Task.immediate(executorPreference: client.engine.loop) { [self] in
            guard let identity = await identity(authentication, client) else {
                return client.refuse(namespace, message: "Unauthorized")
            }
            do {
                guard let user = identity.user else { return enter(room, namespace, as: nil, identity, client) }
                guard let standing = try await standing(of: user, in: room) else {
                    return client.refuse(namespace, message: "Forbidden")
                }
                enter(room, namespace, as: standing, identity, client)
            } catch {
                client.refuse(namespace, message: "Try again later")
            }
        }
    }

    /// What the user is to the room, as it was after the last change that was heard of.
    private func standing(of user: UserID, in room: RoomID) async throws -> Admission.Standing? {
        try await hub.admissions.run {
            while true {
                let changes = hub.accessChanges
                let standing = try await admission.standing(of: user, in: room)
                if changes == hub.accessChanges { return standing }
            }
        }
    }

    func left(_ namespace: String, from client: SocketIOClient) { leave(namespace) }

    func received(_ event: SocketIOEvent, in namespace: String, from client: SocketIOClient) {}

    func ended(_ ending: EngineEnding, from client: SocketIOClient) {
        isEnded = true
        for namespace in Array(members.keys) { leave(namespace) }
        hub.ended(client)
        if let session = identity?.session { hub.remove(client, of: session) }
    }

    func heartbeat(_ sign: EngineHeartbeat, from client: SocketIOClient) {
        for (room, member) in members.values {
            switch sign {
            case .sent: member.mark()
            case .answered: if let seq = member.confirm() { hub.confirmed(seq, by: member, in: room) }
            }
        }
    }

    /// Takes the socket out of a namespace.
    func putOut(of namespace: String, _ client: SocketIOClient) {
        leave(namespace)
        client.disconnect(namespace)
    }

    private func identity(
        _ authentication: SocketIOAuthentication, _ client: SocketIOClient
    ) async -> Identity? {
        if let identity { return identity }
        guard case .payload(let payload) = authentication, let found = await admission.identity(of: payload) else {
            return admission.anybody
        }
        if identity == nil && !isEnded {
            identity = found
            if let session = found.session { hub.add(client, of: session) }
        }
        return identity
    }

    /// - Parameter standing: nil for an anonymous socket.
    private func enter(
        _ room: RoomID, _ namespace: String, as standing: Admission.Standing?, _ identity: Identity,
        _ client: SocketIOClient
    ) {
        guard !isEnded else { return }
        leave(namespace)
        client.accept(namespace)
        let member = RoomMember(
            client: client, owner: self, identity: identity, namespace: namespace, live: hub.nextLiveName(),
            phase: standing?.isMember ?? true ? .waiting : .onlooker)
        members[namespace] = (room, member)
        hub.join(member, room)
        if let standing { hub.feeds[room]?.workspace = standing.workspace }
    }

    private func leave(_ namespace: String) {
        guard let (room, member) = members.removeValue(forKey: namespace) else { return }
        hub.leave(member, room)
    }
}
