internal import EventLoop

extension ServerConnection {
    /// Sets the one timer to the nearest deadline.
    func armTimer() {
        let next = min(phaseDeadline, writeDeadline, bodyClock?.nextLook ?? .max)
        if next == .max { timer?.cancel() } else { timer?.restart(at: next) }
    }

    /// Acts on what has passed. The timer may come early, because pushing it on is cheap and taking it back is not.
    func lookAtDeadlines() {
        let now = loop.now
        if now >= writeDeadline {
            guard socket.sentBytes > sentAtDeadline else { return socket.close() }
            sentAtDeadline = socket.sentBytes
            writeDeadline = now + server.times.write
        }
        if bodyClock?.isOver(now: now) == true { return refuse(.timeout) }
        if now >= phaseDeadline { return endPhase() }
        armTimer()
    }

    private func endPhase() {
        switch phase {
        case .waiting where isWithinHead: refuse(.timeout)
        case .waiting where !socket.isDrained, .lingering where !socket.isDrained:
            // The client is still taking the last reply; the write deadline watches over it.
            phaseDeadline = loop.now + server.times.linger
            armTimer()
        case .waiting, .skipping, .lingering: socket.close()
        case .serving, .ended: break
        }
    }
}
