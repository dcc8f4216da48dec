import WebSocket

@testable import EngineIO

extension FuzzTarget {
    /// The packets of a body are unchanged after they were written and read again, in both versions and forms.
    static let enginePayload = FuzzTarget { bytes in
        for (version, isBinary) in [(EngineVersion.v4, false), (.v3, false), (.v3, true)] {
            guard let packets = PollPayload(bytes: bytes, isBinary: isBinary).packets(version) else { continue }
            for asBinary in [true, false] where !packets.isEmpty {
                let again = PollPayload(packets, version, asBinary: asBinary)
                require(again.packets(version) == packets, "it is not read back unchanged")
            }
        }
    }

    /// With any events in any order, a session ends once, delivers nothing afterwards, and answers waiting polls.
    static let engineSession = FuzzTarget { bytes in
        guard let choice = bytes.first else { return }
        var session = SessionRun(choice)
        for step in bytes.dropFirst().split(separator: 0xFF) { session.take(step) }
        session.finish()
    }
}

/// A session that runs a script of events.
private struct SessionRun {
    private var machine: EngineMachine
    private var now: UInt64 = 1_000_000_000
    private var polls = 0
    private var isPosting = false
    private var hasEnded = false
    private var isForgotten = false
    private var isUpgrading = false

    init(_ choice: UInt8) {
        var settings = EngineSettings()
        settings.outputLimit = 500
        machine = EngineMachine(
            choice & 1 == 0 ? .v4 : .v3, over: choice & 2 == 0 ? .polling : .webSocket, takesBinary: choice & 4 == 0,
            times: EngineTimes(settings), now: now)
        change { $0.open(id: "id", settings, &$1) }
    }

    mutating func take(_ step: ArraySlice<UInt8>) {
        let content = Array(step.dropFirst())
        let message = Message(step.count % 2 == 0 ? .text : .binary, content)
        let now = now
        switch (step.first ?? 0) % 12 {
        case 0:
            let earlier = polls
            polls += 1
            change { machine, actions in try machine.poll(now: now, &actions) }
            // A refused poll does not wait.
            if polls > earlier, !machine.isPollWaiting { polls = earlier }
        case 1:
            change { $0.pollLost(&$1) }
            polls = 0
        case 2: change { machine, actions in try machine.postBegan(now: now, &actions) }
        case 3:
            let payload = PollPayload(bytes: content, isBinary: step.count % 3 == 0)
            change { machine, actions in try machine.posted(payload, now: now, &actions) }
        case 4: change { $0.postLost(&$1) }
        case 5: change { $0.received(message, now: now, &$1) }
        case 6: change { $0.send(message, &$1) }
        case 7: change { machine, actions in _ = try machine.candidateOpened(now: now, &actions) }
        case 8: change { $0.candidateReceived(message, now: now, &$1) }
        case 9: change { machine, _ in machine.candidateClosed() }
        case 10: change { $0.close(now: now, &$1) }
        default:
            self.now += UInt64(content.count) * 4_000_000_000
            let later = self.now
            change { $0.timePassed(now: later, &$1) }
        }
    }

    /// Without further events, every session is removed in the end.
    mutating func finish() {
        var turns = 0
        while machine.deadline != .max {
            now = max(now, machine.deadline)
            let later = now
            change { $0.timePassed(now: later, &$1) }
            turns += 1
            require(turns < 1000, "the session does not end")
        }
        require(isForgotten, "the session was not removed")
    }

    private mutating func change(_ event: (inout EngineMachine, inout [EngineMachine.Action]) throws -> Void) {
        var actions: [EngineMachine.Action] = []
        try? event(&machine, &actions)
        for action in actions {
            switch action {
            case .deliver: require(!hasEnded, "a message after the end")
            case .ended:
                require(!hasEnded, "a second end")
                hasEnded = true
            case .forget:
                require(hasEnded && !isForgotten, "removed before the end, or twice")
                isForgotten = true
            case .answerPoll:
                require(polls > 0, "a reply without a poll")
                polls = 0
            default: break
            }
        }
        require(machine.queuedBytes <= 500, "\(machine.queuedBytes) bytes wait")
    }
}
