internal import WebSocket

extension EngineMachine {
    /// When to call `timePassed` next.
    var deadline: UInt64 {
        switch phase {
        case .open: min(heartbeat.deadline, candidate?.deadline ?? .max)
        case .closing: closeDeadline
        case .closed: .max
        }
    }

    /// Performs everything that is due at `now`.
    ///
    /// The time-out counts from when the ping was due, so a session ends one interval and one time-out after the last
    /// answer, however coarse timers are. Only a blocked loop gives the client more: the whole time-out if the ping is
    /// late, and time to read answers that may have arrived if the time-out is overdue.
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
            // Any packet shows that the client is alive, even if its answer is delayed behind other traffic.
            let timeout = version == .v4 ? times.pingTimeout : times.pingInterval + times.pingTimeout
            guard lastHeard + timeout <= now else {
                heartbeat = .expecting(until: lastHeard + timeout)
                return
            }
            end(.pingTimeout, &actions)
        }
    }
}
