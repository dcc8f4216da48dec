internal import WebSocket

extension EngineMachine {
    /// The number of polls in one upgrade that are answered at once; without a limit, a client that never finishes
    /// would poll in a loop.
    private static let noopsAnUpgrade = 8

    /// The session's WebSocket has received a message.
    mutating func received(_ frame: Message, now: UInt64, _ actions: inout [Action]) {
        guard phase == .open else { return }
        guard let packet = EnginePacket(frame: frame, version) else { return end(.parseError, &actions) }
        received(packet, now: now, &actions)
    }

    /// The session's WebSocket has ended.
    mutating func webSocketClosed(_ actions: inout [Action]) { end(.transportClosed, &actions) }

    /// The WebSocket message of a packet for this client.
    func message(for packet: EnginePacket) -> Message {
        if packet.kind == .ping { return Self.ping }
        guard version == .v3, !takesBinary, packet.isBinary else { return packet.frame(version) }
        return Message(.text, packet.base64(version))
    }

    /// The bytes of the packet's frame on a WebSocket without compression.
    func frameSize(of packet: EnginePacket) -> Int {
        var length = packet.payload.bytes.count
        if packet.isBinary && version == .v3 && !takesBinary {
            length = 2 + (length + 2) / 3 * 4
        } else if !packet.isBinary || version == .v3 {
            length += 1
        }
        return length + (length < 126 ? 2 : length < 65_536 ? 4 : 10)
    }

    /// The ping packet, shared by all sessions.
    static let ping = EnginePacket(.ping).frame(.v4)

    // MARK: Upgrading

    /// A WebSocket has arrived with this session's id; false if the session takes none.
    mutating func candidateOpened(now: UInt64, _ actions: inout [Action]) throws(EngineError) -> Bool {
        try requestCame(now: now, &actions)
        guard phase == .open, transport == .polling, candidate == nil else { return false }
        candidate = Candidate(deadline: now + times.upgradeTimeout)
        return true
    }

    /// The upgrade candidate has received a message: a probe, then the upgrade request.
    mutating func candidateReceived(_ frame: Message, now: UInt64, _ actions: inout [Action]) {
        guard candidate != nil else { return }
        let packet = EnginePacket(frame: frame, version)
        switch (packet?.kind, packet?.payload) {
        case (.ping, .text("probe")):
            candidate?.noopsLeft = Self.noopsAnUpgrade
            let answer = EnginePacket(.pong, text: "probe")
            actions.append(.writeToCandidate(answer.frame(version)))
            endPoll(&actions)
        case (.upgrade, _):
            candidate = nil
            endPoll(&actions)
            transport = .webSocket
            actions.append(.adoptCandidate)
            for packet in queue { actions.append(.writeCounted(message(for: packet))) }
            queue = []
            queuedBytes = 0
        default:
            dropCandidate(&actions)
        }
    }

    /// The upgrade candidate has ended; the session stays with polls.
    mutating func candidateClosed() { candidate = nil }

    mutating func dropCandidate(_ actions: inout [Action]) {
        guard candidate != nil else { return }
        candidate = nil
        actions.append(.closeCandidate)
    }
}
