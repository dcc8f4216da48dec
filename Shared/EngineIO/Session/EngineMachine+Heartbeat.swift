internal import WebSocket

extension EngineMachine {
    /// When `timePassed` has something to do next.
    var deadline: UInt64 {
        switch phase {
        case .open: min(heartbeat.deadline, candidate?.deadline ?? .max)
        case .closing: closeDeadline
        case .closed: .max
        }
    }

    /// It is `now`.
    mutating func timePassed(now: UInt64, _ actions: inout [Action]) {
        if phase == .closing && now >= closeDeadline { return end(.closedHere, &actions) }
        guard phase == .open else { return }
        if let candidate, now >= candidate.deadline { dropCandidate(&actions) }
        guard now >= heartbeat.deadline else { return }
        switch heartbeat {
        case .quiet:
            heartbeat = .expecting(until: now + times.pingTimeout)
            send(EnginePacket(.ping), &actions)
            if phase == .open { actions.append(.heartbeat(.sent)) }
        case .expecting:
            // Whatever the client sends shows that it lives, be its answer late behind other traffic.
            let patience = version == .v4 ? times.pingTimeout : times.pingInterval + times.pingTimeout
            guard lastHeard + patience <= now else {
                heartbeat = .expecting(until: lastHeard + patience)
                return
            }
            end(.pingTimeout, &actions)
        }
    }
}
