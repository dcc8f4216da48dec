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
    let outflow: Outflow
    private let admission: Admission
    /// What the handshake said of whose socket it is.
    private let claim: Admission.Claim?
    private var identity: Identity?
    private var members: [String: (room: RoomID, member: RoomMember)] = [:]
    /// The latest asking for each namespace that is not answered yet.
    private var askings: [String: Asking] = [:]
    /// Askings under way, those included that the client has taken back.
    private var askingCount = 0
    private var isEnded = false

    /// Twice as many as a client may be in; who asks and leaves that often meanwhile does not want to come in.
    private static let mostAskings = 512
    private static let firstPause = Duration.milliseconds(250)
    private static let longestPause = Duration.seconds(5)

    /// A wish to enter a namespace, until it is answered or taken back.
    private final class Asking {
        let room: RoomID
        let namespace: String
        let claim: Admission.Claim?

        init(_ room: RoomID, _ namespace: String, _ claim: Admission.Claim?) {
            self.room = room
            self.namespace = namespace
            self.claim = claim
        }
    }

    private enum Answer {
        case refusal(String)
        /// The standing is nil for an anonymous socket.
        case entry(Identity, Admission.Standing?)
    }

    /// - Parameter identity: nil where the claim does not hold, or nobody could tell yet.
    init(_ client: SocketIOClient, claim: Admission.Claim?, identity: Identity?, hub: LoopHub, admission: Admission) {
        self.claim = claim
        self.identity = identity
        self.hub = hub
        outflow = Outflow(client.engine, patience: hub.outside.readerPatience)
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
        guard askingCount < Self.mostAskings else { return client.engine.close() }
        let asking = Asking(room, namespace, admission.claim(of: authentication))
        askings[namespace] = asking
        askingCount += 1
        Task.immediate(executorPreference: hub.loop) { [self] in
            await settle(asking, client)
            askingCount -= 1
        }
    }

    /// Answers once it is known whether the client may enter: apps do not ask a second time, so that one who asks while
    /// nobody can tell comes in late instead of never.
    private func settle(_ asking: Asking, _ client: SocketIOClient) async {
        var backoff = Backoff(first: Self.firstPause, limit: Self.longestPause)
        while askings[asking.namespace] === asking {
            if let answer = try? await answer(to: asking, client) {
                guard askings[asking.namespace] === asking else { return }
                askings[asking.namespace] = nil
                switch answer {
                case .refusal(let reason): client.refuse(asking.namespace, message: reason)
                case .entry(let identity, let standing): enter(asking, as: standing, identity, client)
                }
            } else {
                do { try await hub.loop.sleep(for: backoff.next()) } catch { return }
            }
        }
    }

    /// Throws where nobody can tell now.
    private func answer(to asking: Asking, _ client: SocketIOClient) async throws -> Answer {
        guard let identity = try await identity(asking.claim, client) else { return .refusal("Unauthorized") }
        guard let user = identity.user else { return .entry(identity, nil) }
        let standing = try await hub.admissions.run { try await hub.standing(of: user, in: asking.room) }
        guard let standing else { return .refusal("Forbidden") }
        return .entry(identity, standing)
    }

    func left(_ namespace: String, from client: SocketIOClient) {
        askings[namespace] = nil
        leave(namespace)
    }

    func received(_ event: SocketIOEvent, in namespace: String, from client: SocketIOClient) {}

    func ended(_ ending: EngineEnding, from client: SocketIOClient) {
        isEnded = true
        askings = [:]
        for namespace in Array(members.keys) { leave(namespace) }
        outflow.drained()
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

    func drained(_ client: SocketIOClient) {
        for (_, member) in members.values { member.drained() }
        outflow.drained()
    }

    /// Takes the socket out of a namespace, or keeps it out where it has not been let in yet.
    func putOut(of namespace: String, _ client: SocketIOClient) {
        leave(namespace)
        client.refuse(namespace, message: "Forbidden")
        client.disconnect(namespace)
    }

    private func identity(_ claim: Admission.Claim?, _ client: SocketIOClient) async throws -> Identity? {
        for claim in [self.claim, claim] {
            if let identity { return identity }
            guard let claim, let found = try await admission.identity(of: claim) else { continue }
            if identity == nil && !isEnded {
                identity = found
                if let session = found.session { hub.add(client, of: session) }
            }
        }
        return identity ?? admission.anybody
    }

    /// - Parameter standing: nil for an anonymous socket.
    private func enter(
        _ asking: Asking, as standing: Admission.Standing?, _ identity: Identity, _ client: SocketIOClient
    ) {
        let member = RoomMember(
            client: client, owner: self, identity: identity, namespace: asking.namespace, live: hub.nextLiveName(),
            phase: standing?.isMember ?? true ? .waiting : .onlooker)
        members[asking.namespace] = (asking.room, member)
        hub.join(member, asking.room)
        if let standing { hub.feeds[asking.room]?.workspace = standing.workspace }
    }

    private func leave(_ namespace: String) {
        guard let (room, member) = members.removeValue(forKey: namespace) else { return }
        hub.leave(member, room)
    }
}
