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
        if let identity { hub.add(client, of: identity.session) }
    }

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
                let standing = try await admission.standing(of: identity.user, in: room)
                enter(room, namespace, as: standing, identity, client)
            } catch {
                client.refuse(namespace, message: "Try again later")
            }
        }
    }

    func left(_ namespace: String, from client: SocketIOClient) { leave(namespace) }

    func received(_ event: SocketIOEvent, in namespace: String, from client: SocketIOClient) {}

    func ended(_ ending: EngineEnding, from client: SocketIOClient) {
        isEnded = true
        for namespace in Array(members.keys) { leave(namespace) }
        if let identity { hub.remove(client, of: identity.session) }
    }

    private func identity(
        _ authentication: SocketIOAuthentication, _ client: SocketIOClient
    ) async -> Identity? {
        if let identity { return identity }
        guard case .payload(let payload) = authentication, let found = await admission.identity(of: payload) else {
            return nil
        }
        if identity == nil && !isEnded {
            identity = found
            hub.add(client, of: found.session)
        }
        return identity
    }

    private func enter(
        _ room: RoomID, _ namespace: String, as standing: Admission.Standing?, _ identity: Identity,
        _ client: SocketIOClient
    ) {
        guard !isEnded else { return }
        guard let standing else { return client.refuse(namespace, message: "Forbidden") }
        leave(namespace)
        client.accept(namespace)
        let member = RoomMember(
            client: client, identity: identity, namespace: namespace,
            phase: standing == .member ? .waiting : .onlooker)
        members[namespace] = (room, member)
        hub.join(member, room)
    }

    private func leave(_ namespace: String) {
        guard let (room, member) = members.removeValue(forKey: namespace) else { return }
        hub.leave(member, room)
    }
}
