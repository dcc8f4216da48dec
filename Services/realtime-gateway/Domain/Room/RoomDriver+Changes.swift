import Contract
import EngineIO
import EventLoop
import ServiceKit
import SocketIO
import Telemetry
import Wire

/// Performs the actions of a room's machine that are about changes of messages.
extension RoomDriver {
    /// How long a missing revision may be on its way from another instance of chat-service, which gathers changes.
    private static let missingRevisionTimeout = Duration.milliseconds(250)
    /// The name of the event in the namespaces of rooms.
    private static let eventName = "changed"

    func performChange(_ action: RoomAction, _ actions: inout [RoomAction]) {
        switch action {
        case .broadcastChange(let change): broadcast(change, &actions)
        case .sendChanges(let id, let changes): send(changes, to: id)
        case .awaitMissingChanges:
            loop.schedule(after: Self.missingRevisionTimeout) { [weak self] in self?.handle { $0.missingAwaited(&$1) } }
        case .fetchChanges(let after): fetchChanges(after: after)
        case .fetchMissed(let id, let after): fetchMissed(id, after: after)
        default: break
        }
    }

    private func broadcast(_ change: RoomChange, _ actions: inout [RoomAction]) {
        let profiles = context.rendering.profiles
        let pool = context.rendering.compression.current
        var rendered: [EventVariant: SharedPacket] = [:]
        let count = machineBroadcast(change, &actions) { engine, variant in
            guard SocketBackpressure.hasRoom(in: engine) else { return false }
            guard let profile = profiles[variant.form] else { return true }
            let packet =
                rendered[variant] ?? SharedPacket(Self.packet(of: change, variant, profile), compressingIn: pool)
            rendered[variant] = packet
            engine.send(packet)
            return true
        }
        context.metrics.changeDeliveries.increment(by: count)
        // An edit may have changed mentions. Reactions and pins leave the badges alone.
        let revision = change.message.body.revision
        let mayMatter = revision?.deletedAt != nil || revision?.editedAt != nil
        if mayMatter, hasKnownDevices { shard.me.badges.changed(room) }
    }

    /// Queues missed changes for one socket.
    private func send(_ changes: [RoomChange], to id: MemberID) {
        guard let socket = endpoint(id) else { return }
        for change in changes {
            let isBlocked = shard.blocks.isBlocked(change.message.body.author.id, for: socket.user)
            let variant = EventVariant(form: socket.form, isBlocked: isBlocked)
            socket.engine.send(SharedPacket(Self.packet(of: change, variant, socket.profile), compressingIn: nil))
            context.metrics.changeDeliveries.increment()
        }
        socket.engine.flush()
    }

    private static func packet(
        of change: RoomChange, _ variant: EventVariant, _ profile: ClientProfile
    ) -> SocketIOPacket {
        let change = variant.isBlocked ? RoomChange(change.message.blocked(), revs: change.revs) : change
        if variant.form == .me { return MeEvent.changed(change).packet(for: profile) }
        let room = change.message.room
        return .event(eventName, in: Namespace.name(of: room)) { json in
            json.object { json in
                json.field("room", room.description)
                json.field("message") { change.message.write(to: &$0, for: profile) }
            }
        }
    }

    private func fetchChanges(after: Int64) {
        context.metrics.heals.increment()
        Task.immediate(executorPreference: loop) { [self] in
            do {
                let reply = try await context.chat.changes(of: room, after: after)
                handle { $0.changesFetched(reply.changes, through: reply.rev, head: reply.head, &$1) }
            } catch {
                handle { $0.changesFailed(&$1) }
            }
        }
    }

    private func fetchMissed(_ id: MemberID, after: Int64) {
        guard let socket = endpoint(id) else { return }
        Task.immediate(executorPreference: loop) { [self] in
            do {
                try await socket.backpressure.changeReads.run {
                    await socket.wait(for: .room)
                    guard contains(id) else { return }
                    let reply = try await context.chat.changes(of: room, after: after)
                    // The changes of other rooms may have used the socket's room meanwhile.
                    await socket.wait(for: .room)
                    handle { $0.missedFetched(id, reply.changes, through: reply.rev, &$1) }
                }
            } catch {
                try? await loop.sleep(for: Self.pauseBeforeRetry)
                handle { $0.missedFailed(id, &$1) }
            }
        }
    }
}
