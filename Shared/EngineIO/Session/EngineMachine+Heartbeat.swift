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

    /// It is `now`: what is due happens.
    ///
    /// The time-out runs from when the ping was due, so that a session ends an interval and a time-out after the last sign
    /// of life, however coarse timers are. Only a loop that was away gives the client more: all of the time-out where the
    /// ping comes too late, and where the answer is overdue, time to read what may have come meanwhile.
    mutating func timePassed(now: UInt64, _ actions: inout [Action]) {
        if phase == .closing && now >= closeDeadline { return end(.closedHere, &actions) }
        guard phase == .open else { return }
        if let candidate, now >= candidate.deadline { dropCandidate(&actions) }
        guard now >= heartbeat.deadline else { return }
        let wasAway = now - heartbeat.deadline > times.lateness
        switch heartbeat {
        case .quiet(let due):
            heartbeat = .expecting(until: (wasAway ? now : due) + times.pingTimeout)
            send(EnginePacket(.ping), &actions)
            if phase == .open { actions.append(.heartbeat(.sent)) }
        case .expecting where wasAway:
            heartbeat = .expecting(until: now + times.lateness)
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
