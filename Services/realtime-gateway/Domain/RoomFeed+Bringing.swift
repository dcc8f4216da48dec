import Contract
import EngineIO
import EventLoop
import SocketIO
import Telemetry
import WebSocket
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

    /// Takes the next steps, once the room's present is known.
    func settle(_ member: RoomMember) {
        guard present != nil, isCatchingUp(member), !member.isBeingBrought else { return }
        member.isBeingBrought = true
        Task.immediate(executorPreference: loop) { [self] in
            while isCatchingUp(member) {
                do {
                    try await bringOn(member)
                } catch {
                    outside.log.warning("a socket cannot catch up", ["room": .name("\(room)"), "cause": .cause(error)])
                    try? await loop.sleep(for: Self.pauseBeforeRetry)
                }
            }
            member.isBeingBrought = false
        }
    }

    private func isCatchingUp(_ member: RoomMember) -> Bool { member.phase == .catchingUp && contains(member) }

    /// Sends the member no more than a slice of what it has missed, or lets it go on live where that is nothing.
    private func bringOn(_ member: RoomMember) async throws {
        if member.startsAtEntry, let present {
            member.startsAtEntry = false
            member.move(to: member.entry ?? present)
        }
        // Of one that falls behind, Redis knows at once that it is not sent what the others are.
        if member.isCautious, member.claim == .live { try await claim(member, .upTo(member.position)) }
        await member.waitForRoom()
        guard isCatchingUp(member), let present else { return }
        guard let slice = try await slice(for: member, upTo: present) else { return try await goLive(member) }
        try await claim(member, .upTo(slice.end))
        // Another room may have used it.
        await member.waitForRoom()
        guard isCatchingUp(member) else { return }
        send(slice, to: member)
    }

    /// Nothing is missing. What comes while Redis is told has been reserved for the feed, and is sent before the member is
    /// live.
    private func goLive(_ member: RoomMember) async throws {
        if member.isCautious { await member.waitUntilReached() }
        try await claim(member, .live)
        guard isCatchingUp(member), let missed = recent(after: member.position) else { return }
        let slice = Slice(missed, for: member)
        guard slice.isAll, Outflow.hasRoom(in: member.engine) else { return }
        send(slice, to: member)
        member.phase = .live
    }

    private func send(_ slice: Slice, to member: RoomMember) {
        for (message, packet) in slice.packets where member.wants(message) {
            member.send(packet, at: message.body.seq)
            outside.metrics.deliveries.increment()
        }
        member.move(to: slice.end)
        member.engine.flush()
        member.drained()
    }

    /// A member goes on from where it is, at its own pace.
    func catchUp(_ member: RoomMember) {
        member.phase = .catchingUp
        settle(member)
    }

    /// The next of what the member has missed; nil where that is nothing. What does not fit into a slice is asked for again.
    private func slice(for member: RoomMember, upTo present: Int64) async throws -> Slice? {
        guard member.position < present else { return nil }
        if let recent = recent(after: member.position) { return Slice(recent, for: member) }
        let page = try await page(after: member.position)
        let slice = Slice(page.messages.filter { $0.body.seq <= present }, for: member)
        if !slice.isAll { pageSize = max(1, slice.packets.count) }
        // What is not there any more is not waited for.
        return slice.isAll ? slice.ending(at: min(page.end, present)) : slice
    }

    /// Redis has to know what the member may have been sent before it is. Of one that bears it twice, it only has to know
    /// where it began.
    private func claim(_ member: RoomMember, _ claim: RoomMember.Claim) async throws {
        guard let session = member.identity.session, member.isCautious || member.claim == .none else { return }
        // Before it is written: what is written anew meanwhile must not take it back.
        member.claim = claim
        if member.isCautious {
            try await outside.positions.claim(session, room, at: member.reached, claim, for: member.live)
        } else {
            member.begin()
            await outside.positions.confirm(session, room, member.confirmed)
        }
        // Who has left meanwhile has to be let go.
        if !contains(member) && member.isCautious { hub.release(member, session, room) }
    }
}

/// What is sent to a member in one go.
private struct Slice {
    private(set) var packets: [(message: RoomMessage, packet: SharedPacket)] = []
    /// The seq up to which it goes.
    private(set) var end: Int64
    /// Whether nothing of the messages had to be left out.
    let isAll: Bool

    /// The first of the messages, so many as do not take more room than may be used in one go.
    init(_ messages: [RoomMessage], for member: RoomMember) {
        end = member.position
        var size = 0
        for message in messages where size < Outflow.mostWaiting {
            var rendered = RenderedMessage(message, compressingIn: nil)
            let packet = rendered.packet(for: member)
            packets.append((message, packet))
            size += packet.frame.plain.count
            end = message.body.seq
        }
        isAll = packets.count == messages.count
    }

    func ending(at end: Int64) -> Slice {
        var slice = self
        slice.end = max(end, self.end)
        return slice
    }
}
