import Contract
import EngineIO
import EventLoop
import ServiceKit
import SocketIO
import Wire

/// A client's connection: its identity, and the rooms that it is in.
///
/// - Note: `@unchecked Sendable` because it is confined to its socket's loop.
final class GatewayClient: SocketIOHandler, @unchecked Sendable {
    private let shard: GatewayShard
    let backpressure: SocketBackpressure
    private let admission: Admission
    private let origin: Admission.Origin
    private var identity: Identity?
    private var joined = Joined()
    private var counted: SocketCensus.Socket?
    private var requests = Requests()
    private var isEnded = false
    /// When the client connected, or last answered a heartbeat.
    private(set) var heard = Timestamp.now
    /// Nil while nobody can check the credential.
    private var slot: SocketShares.Slot?
    /// Runs while the identity is not known.
    private var namelessTimer: LoopTimer?

    /// Twice as many as a client may be in. A client with more does not wait for answers.
    private static let mostRequests = 512
    /// A heartbeat that is about to leave does not count as queued.
    private static let heartbeatSize = 8
    private static let firstPause = Duration.milliseconds(250)
    private static let longestPause = Duration.seconds(5)

    /// The client's sockets in namespaces.
    private struct Joined {
        /// Few, and heartbeats go through them: an array lies together in memory.
        var rooms: [RoomSocket] = []
        var me: MeSocket?
    }

    private struct Requests {
        /// The latest request for each namespace that has not been answered.
        var latest: [String: JoinRequest] = [:]
        /// Requests under way, with those that the client has taken back.
        var count = 0
    }

    private enum Answer {
        case refusal(String)
        /// The standing is nil for an anonymous socket.
        case entry(Identity, Admission.Standing?)
    }

    init(_ client: SocketIOClient, _ handshake: Admission.Handshake, shard: GatewayShard, admission: Admission) {
        origin = handshake.origin
        identity = handshake.identity
        slot = handshake.slot
        self.shard = shard
        backpressure = SocketBackpressure(client.engine, timeout: shard.context.readerTimeout)
        self.admission = admission
        count(client, queuedBytes: 0)
        if let identity { shard.add(client, as: identity) }
        if identity == nil && admission.anybody == nil { limitTimeWithoutIdentity(client) }
    }

    /// Closes the socket if it has shown no identity in time. While nobody can tell, it stays open.
    private func limitTimeWithoutIdentity(_ client: SocketIOClient) {
        namelessTimer = shard.loop.schedule(after: admission.shares.namelessTimeout) { [self] in
            Task.immediate(executorPreference: shard.loop) {
                let isKnown = try? await identity(nil, client) != nil
                guard !isEnded, identity == nil else { return }
                if isKnown == nil || !requests.latest.isEmpty { return limitTimeWithoutIdentity(client) }
                shard.context.metrics.endedNameless()
                client.engine.close()
            }
        }
    }

    func join(_ namespace: String, _ authentication: SocketIOAuthentication, from client: SocketIOClient) {
        // Some client libraries join the root by themselves; nothing happens in it.
        if namespace == "/" {
            client.accept(namespace)
            return
        }
        let target: JoinTarget
        switch JoinTarget.find(namespace, authentication) {
        case .success(let found): target = found
        case .failure(let refusal): return client.refuse(namespace, message: refusal.message)
        }
        guard requests.count < Self.mostRequests else { return client.engine.close() }
        let request = JoinRequest(target, namespace, admission.credential(of: authentication))
        requests.latest[namespace] = request
        requests.count += 1
        Task.immediate(executorPreference: shard.loop) { [self] in
            await settle(request, client)
            requests.count -= 1
        }
    }

    /// Answers once it is known whether the client may enter. Apps do not ask a second time, so a client that asks while
    /// nobody can tell comes in late instead of never.
    private func settle(_ request: JoinRequest, _ client: SocketIOClient) async {
        var backoff = Backoff(first: Self.firstPause, limit: Self.longestPause)
        while requests.latest[request.namespace] === request {
            do {
                let answer = try await self.answer(to: request, client)
                guard requests.latest[request.namespace] === request else { return }
                requests.latest[request.namespace] = nil
                switch answer {
                case .refusal(let reason): client.refuse(request.namespace, message: reason)
                case .entry(let identity, let standing): enter(request, as: standing, identity, client)
                }
            } catch is Admission.TooManyTokens {
                // A refusal would say that the token is invalid, for good. Clients come again after a close.
                return client.engine.close()
            } catch {
                do { try await shard.loop.sleep(for: backoff.next()) } catch { return }
            }
        }
    }

    /// Throws while nobody can tell.
    private func answer(to request: JoinRequest, _ client: SocketIOClient) async throws -> Answer {
        guard let identity = try await identity(request.credential, client) else { return .refusal("Unauthorized") }
        guard identity.caller?.mayJoin(request.target) != false else { return .refusal("Forbidden") }
        guard case .room(let room) = request.target else {
            return identity.profile.isNative && identity.caller != nil ? .entry(identity, nil) : .refusal("Forbidden")
        }
        guard let user = identity.user else { return .entry(identity, nil) }
        // The access comes last, because the user may lose it meanwhile.
        await shard.blocks.settled(user)
        let standing = try await shard.limits.admissions.run { try await shard.standing(of: user, in: room) }
        guard let standing else { return .refusal("Forbidden") }
        return .entry(identity, standing)
    }

    func left(_ namespace: String, from client: SocketIOClient) {
        requests.latest[namespace] = nil
        leave(namespace)
    }

    func received(_ event: SocketIOEvent, in namespace: String, from client: SocketIOClient) {
        if namespace == MeEvent.namespace { joined.me?.calls.received(event) }
    }

    func ended(_ ending: EngineEnding, from client: SocketIOClient) {
        isEnded = true
        slot = nil
        stopNamelessTimer()
        shard.context.metrics.ended(ending)
        requests.latest = [:]
        for socket in joined.rooms { leave(socket.namespace) }
        leave(MeEvent.namespace)
        backpressure.drained()
        if let counted { shard.census.remove(counted) }
        counted = nil
        if let identity { shard.remove(client, as: identity) }
    }

    func heartbeat(_ sign: EngineHeartbeat, from client: SocketIOClient) {
        for socket in joined.rooms { shard.heartbeat(sign, of: socket) }
        if sign == .answered { heard = .now }
        if sign == .sent {
            let queued = client.engine.queuedBytes
            count(client, queuedBytes: queued > Self.heartbeatSize ? queued : 0)
        }
    }

    /// Reports itself to the census.
    private func count(_ client: SocketIOClient, queuedBytes: Int) {
        let kind = SocketCensus.Kind(transport: client.engine.transport, profile: identity?.profile.name ?? "none")
        let socket = SocketCensus.Socket(kind: kind, queuedBytes: queuedBytes)
        guard socket != counted, !isEnded else { return }
        if let counted { shard.census.remove(counted) }
        shard.census.add(socket)
        counted = socket
    }

    func congested(_ client: SocketIOClient) { count(client, queuedBytes: client.engine.queuedBytes) }

    func drained(_ client: SocketIOClient) {
        for socket in joined.rooms { socket.drained() }
        backpressure.drained()
        count(client, queuedBytes: client.engine.queuedBytes)
    }

    /// Takes the client out of a namespace, or refuses it before its join was acknowledged.
    func putOut(of namespace: String, _ client: SocketIOClient) {
        leave(namespace)
        client.refuse(namespace, message: "Forbidden")
        client.disconnect(namespace)
    }

    private func identity(_ credential: Admission.Credential?, _ client: SocketIOClient) async throws -> Identity? {
        for credential in [origin.credential, credential] {
            if let identity { return identity }
            guard let credential, let found = try await admission.identity(of: credential, from: origin.address) else {
                continue
            }
            if identity == nil && !isEnded {
                guard let slot = admission.shares.take(for: found.user) else { return nil }
                identity = found
                self.slot = slot
                stopNamelessTimer()
                client.engine.mayCompress = true
                count(client, queuedBytes: counted?.queuedBytes ?? 0)
                shard.add(client, as: found)
            }
        }
        return identity ?? admission.anybody
    }

    private func stopNamelessTimer() { namelessTimer.take()?.cancel() }

    /// - Parameter standing: nil for an anonymous socket.
    private func enter(
        _ request: JoinRequest, as standing: Admission.Standing?, _ identity: Identity, _ client: SocketIOClient
    ) {
        leave(request.namespace)
        switch request.target {
        case .me(let cursors):
            guard let caller = identity.caller else { return }
            let socket = MeSocket(
                shard.nextMemberID(), of: client, caller: caller, profile: identity.profile,
                backpressure: backpressure, shard: shard)
            joined.me = socket
            client.accept(request.namespace)
            shard.begin(socket, from: cursors)
        case .room(let room):
            let socket = RoomSocket(
                shard.nextMemberID(), of: client, owner: self, identity: identity, room: room,
                namespace: request.namespace, loopName: shard.cursors.loopName)
            joined.rooms.append(socket)
            shard.join(socket, isMember: standing?.isMember ?? true, workspace: standing?.workspace)
        }
    }

    private func leave(_ namespace: String) {
        if namespace == MeEvent.namespace {
            if let me = joined.me.take() { shard.end(me) }
        } else if let index = joined.rooms.firstIndex(where: { $0.namespace == namespace }) {
            shard.leave(joined.rooms.remove(at: index))
        }
    }
}
