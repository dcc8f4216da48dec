import Contract
import EngineIO
import EventLoop
import SocketIO
import Telemetry
import Wire

/// How a member comes from where its session was to where the room is.
extension RoomFeed {
    /// Brings a member from its position to the present, then lets it go on live.
    ///
    /// - Parameter position: where it is; nil for one that begins where the room was when it entered.
    func bring(_ member: RoomMember, from position: Int64?) {
        if let position { member.move(to: position) }
        member.startsAtEntry = position == nil && member.position == 0
        member.phase = .catchingUp
        settle(member)
    }

    /// Takes the next step, once the room's present is known.
    func settle(_ member: RoomMember) {
        guard let present, member.phase == .catchingUp, contains(member), !member.isBeingBrought else { return }
        if member.startsAtEntry {
            member.startsAtEntry = false
            member.move(to: member.entry ?? present)
        }
        if member.isClaimed, let missed = recent(after: member.position) {
            for message in missed { send(message, to: member) }
            member.phase = .live
            return
        }
        member.isBeingBrought = true
        Task.immediate(executorPreference: loop) { [self] in
            do {
                let missed = try await missed(by: member, upTo: present)
                try await claim(member, at: missed.end)
                for message in missed.messages where member.phase == .catchingUp { send(message, to: member) }
                if member.phase == .catchingUp { member.move(to: missed.end) }
            } catch {
                outside.log.warning("a socket cannot catch up", ["room": .name("\(room)"), "cause": .cause(error)])
                try? await loop.sleep(for: Self.pauseBeforeRetry)
            }
            member.isBeingBrought = false
            settle(member)
        }
    }

    /// The next of what the member has missed, and up to where that goes.
    private func missed(
        by member: RoomMember, upTo present: Int64
    ) async throws -> (messages: [RoomMessage], end: Int64) {
        if let recent = recent(after: member.position) { return (recent, max(member.position, present)) }
        let since = try await outside.chat.events(of: room, after: member.position)
        let messages = since.events.compactMap { event -> RoomMessage? in
            if case .message(let message) = event, message.body.seq <= present { message } else { nil }
        }
        // What is not there any more is not waited for.
        let isAll = messages.count < since.events.count || since.events.last?.seq ?? since.head >= since.head
        return (messages, isAll ? present : messages.last?.body.seq ?? present)
    }

    /// Redis has to know what the member may have been sent before it is. Of one that bears it twice, it only has to know
    /// where it began.
    private func claim(_ member: RoomMember, at seq: Int64) async throws {
        guard let session = member.identity.session else {
            member.isClaimed = true
            return
        }
        if member.isCautious {
            try await outside.positions.claim(session, room, at: seq, for: member.live)
        } else if !member.isClaimed {
            member.begin()
            await outside.positions.confirm(session, room, member.confirmed)
        }
        member.isClaimed = true
        // Who has left meanwhile has to be let go.
        if !contains(member) && member.isCautious { hub.release(member, session, room) }
    }

    private func send(_ message: RoomMessage, to member: RoomMember) {
        guard member.wants(message) else { return member.move(to: message.body.seq) }
        var rendered = RenderedMessage(message, compressingIn: nil)
        member.engine.send(rendered.packet(for: member))
        member.move(to: message.body.seq)
        outside.metrics.deliveries.increment()
    }
}

extension RoomEvent {
    /// The seq of a message.
    fileprivate var seq: Int64? { if case .message(let message) = self { message.body.seq } else { nil } }
}
