internal import CPostgres
internal import EventLoop

extension LoopPool {
    /// Checks the sessions now and then for as long as there are any.
    func watchForSilence() {
        guard silenceTimer == nil, !isClosed else { return }
        silenceTimer = loop.schedule(after: configuration.silenceLimit / 4) { [unowned self] in
            silenceTimer = nil
            if probe == nil, let silent = connections.first(where: \.isSilent) { startProbe(of: silent.host) }
            if !connections.isEmpty { watchForSilence() }
        }
    }

    /// Opens another session at the host of a silent one. If that gets no answer either, the sessions there are given up. A process
    /// that stood still meanwhile cannot judge the host, and asks again at the next check.
    private func startProbe(of host: Int) {
        let began = loop.now
        let search = HostSearch(at: host, within: configuration.connectTimeout)
        let attempt = ConnectionAttempt(configuration, search, on: loop, blocking: blocking)
        probe = attempt
        attempt.start { [unowned self] result, search in
            probe = nil
            if case .success(let session) = result { PQfinish(session.raw) }
            if isClosed { return }
            let time = Duration.nanoseconds(Int64(loop.now - began))
            if search.stoodStill(for: time, within: configuration.connectTimeout) { return }
            let there = connections.filter { $0.host == host }
            if search.isSilent(host), there.allSatisfy({ $0.lastHeard < began }) {
                hosts.fellSilent(host)
                for connection in there { connection.close(.noAnswer) }
            } else {
                for connection in there { connection.serverAnswered() }
            }
        }
    }
}
