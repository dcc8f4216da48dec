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
    private var memberships: [Membership] = []
    private var counted: SocketCensus.Socket?
    /// The latest asking for each namespace that is not answered yet.
    private var askings: [String: Asking] = [:]
    /// Askings under way, those included that the client has taken back.
    private var askingCount = 0
    private var isEnded = false

    /// Twice as many as a client may be in; who asks and leaves that often meanwhile does not want to come in.
    private static let mostAskings = 512
    /// A heartbeat that is about to leave is nothing that waits.
    private static let heartbeatSize = 8
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

    /// A room that it is in. There are few, and heartbeats go through them: an array lies together in memory.
    private struct Membership {
        let namespace: String
        let room: RoomID
        let member: RoomMember
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
        beCounted(client, queuedBytes: 0)
        if let session = identity?.session { hub.add(client, of: session) }
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
        for membership in memberships { leave(membership.namespace) }
        outflow.drained()
        if let counted { hub.count.remove(counted) }
        counted = nil
        if let session = identity?.session { hub.remove(client, of: session) }
    }

    func heartbeat(_ sign: EngineHeartbeat, from client: SocketIOClient) {
        for membership in memberships {
            switch sign {
            case .sent: membership.member.mark()
            case .answered:
                if let seq = membership.member.confirm() {
                    hub.confirmed(seq, by: membership.member, in: membership.room)
                }
            }
        }
        if sign == .sent {
            let queued = client.engine.queuedBytes
            beCounted(client, queuedBytes: queued > Self.heartbeatSize ? queued : 0)
        }
    }

    /// Tells the census of itself.
    private func beCounted(_ client: SocketIOClient, queuedBytes: Int) {
        let kind = SocketCensus.Kind(transport: client.engine.transport, profile: identity?.profile.name ?? "none")
        let socket = SocketCensus.Socket(kind: kind, queuedBytes: queuedBytes)
        guard socket != counted, !isEnded else { return }
        if let counted { hub.count.remove(counted) }
        hub.count.add(socket)
        counted = socket
    }

    func drained(_ client: SocketIOClient) {
        for membership in memberships { membership.member.drained() }
        outflow.drained()
        beCounted(client, queuedBytes: client.engine.queuedBytes)
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
                beCounted(client, queuedBytes: counted?.queuedBytes ?? 0)
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
        memberships.removeAll { $0.namespace == asking.namespace }
        memberships.append(Membership(namespace: asking.namespace, room: asking.room, member: member))
        hub.join(member, asking.room)
        if let standing { hub.feeds[asking.room]?.workspace = standing.workspace }
    }

    private func leave(_ namespace: String) {
        guard let place = memberships.firstIndex(where: { $0.namespace == namespace }) else { return }
        let membership = memberships.remove(at: place)
        hub.leave(membership.member, membership.room)
    }
}
