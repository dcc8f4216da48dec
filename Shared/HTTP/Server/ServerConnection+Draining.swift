internal import EventLoop

extension ServerConnection {
    /// Closes when idle, and after the running request otherwise.
    func drain() {
        // The kernel may hold a request that the client has sent already: it is served.
        if machine.isBetweenRequests { socket.readNow() }
        perform(machine.drain(now: loop.now))
    }

    /// Gives a connection that has just become idle the idle time of the server's drain, if there is one. The reply before
    /// began earlier than the drain, so its head says that the connection is kept.
    ///
    /// Not to be called within `received`: the bytes there may be another request.
    func drainIfIdle() {
        guard let idle = server.drainIdle, drainTimer == nil, machine.isBetweenRequests else { return }
        guard idle > .zero else { return drain() }
        drainTimer = loop.schedule(after: idle) { [weak self] in self?.drain() }
    }
}
