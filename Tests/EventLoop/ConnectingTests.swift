import EventLoop
import Glibc
import TestSupport
import Testing

@Suite struct ConnectingTests {
    @Test("Listeners of all loops share one port, and every connection is accepted")
    func sharedPort() async throws {
        try await withLoops(2) { group in
            let counts = LoopLocal(group) { _ in Counter() }
            var address = SocketAddress(ip: "127.0.0.1", port: 0)!
            var listeners: [Listener] = []
            for loop in group.loops {
                let listener = try Listener(on: loop, address: address) { descriptor, _ in
                    counts.current.add()
                    close(descriptor)
                }
                address = listener.address
                loop.execute { listener.start() }
                listeners.append(listener)
            }
            let target = address
            try await group.loops[0].run {
                for _ in 0..<64 {
                    let socket = try await StreamSocket.connect(to: target, timeout: .seconds(60), on: group.loops[0])
                    let side = RecordingHandler()
                    socket.start(side)
                    await side.until { $0.ends > 0 || $0.ending != nil }
                    socket.close()
                }
            }
            var total = 0
            for loop in group.loops { total += try await loop.run { counts.current.value } }
            #expect(total == 64)
            for (loop, listener) in zip(group.loops, listeners) { try await loop.run { listener.stop() } }
        }
    }

    @Test("A refused connection is an error with its code")
    func refused() async throws {
        try await onLoop { loop in
            // Only root can listen on port 1, and no service does.
            let unusedAddress = SocketAddress(ip: "127.0.0.1", port: 1)!
            let error = await #expect(throws: SocketError.self) {
                try await StreamSocket.connect(to: unusedAddress, timeout: .seconds(60), on: loop)
            }
            #expect(error?.code == ECONNREFUSED)
        }
    }

    @Test("Connecting to an address that does not answer ends at its time-out, and at once when the task is cancelled")
    func timeOut() async throws {
        try await onLoop { loop in
            // A full backlog keeps the next connection waiting.
            let listener = try Listener(on: loop, address: SocketAddress(ip: "127.0.0.1", port: 0)!, backlog: 0) {
                descriptor, _ in close(descriptor)
            }
            defer { withExtendedLifetime(listener) {} }
            var waiting: [Int32] = []
            for _ in 0..<3 { waiting.append(halfOpen(port: listener.address.port)) }
            let error = await #expect(throws: SocketError.self) {
                try await StreamSocket.connect(to: listener.address, timeout: .milliseconds(50), on: loop)
            }
            #expect(error?.code == ETIMEDOUT)
            let task = Task.immediate(executorPreference: loop) {
                try await StreamSocket.connect(to: listener.address, timeout: .seconds(3600), on: loop)
            }
            task.cancel()
            let cancelled = await #expect(throws: SocketError.self) { try await task.value }
            #expect(cancelled?.code == ECANCELED)
            for descriptor in waiting { close(descriptor) }
        }
    }

    /// Starts to connect and does not wait for the result.
    private func halfOpen(port: UInt16) -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return descriptor
    }

    @Test("A listener that runs out of descriptors pauses, and accepts again when descriptors are free")
    func outOfDescriptors() async throws {
        await #expect(processExitsWith: .success) {
            try await onLoop { loop in
                let counter = Counter()
                let listener = try Listener(on: loop, address: SocketAddress(ip: "127.0.0.1", port: 0)!) {
                    descriptor, _ in
                    counter.add()
                    close(descriptor)
                }
                // The kernel completes the connection, but nothing has accepted it yet.
                let socket = try await StreamSocket.connect(to: listener.address, timeout: .seconds(60), on: loop)
                let before = Self.allowDescriptors(0)
                #expect(dup(0) == -1 && errno == EMFILE)
                listener.start()
                let start = threadTime()
                try await loop.sleep(for: .milliseconds(200))
                #expect(counter.value == 0)
                #expect(threadTime() - start < 100_000_000, "the loop spins")
                _ = Self.allowDescriptors(before)
                let side = RecordingHandler()
                socket.start(side)
                await side.until { $0.ends > 0 || $0.ending != nil }
                #expect(counter.value == 1)
                socket.close()
                listener.stop()
            }
        }
    }

    @Test("Without a free descriptor a new connection is closed at once, and counted")
    func refusedWithReserve() async throws {
        await #expect(processExitsWith: .success) {
            try await onLoop { loop in
                let (accepted, refused) = (Counter(), Counter())
                let listener = try Listener(
                    on: loop, address: SocketAddress(ip: "127.0.0.1", port: 0)!, refused: { refused.add() }
                ) { descriptor, _ in
                    accepted.add()
                    close(descriptor)
                }
                // The kernel completes these connections, but nothing has accepted them yet.
                var early: [StreamSocket] = []
                for _ in 0..<2 {
                    early.append(
                        try await StreamSocket.connect(to: listener.address, timeout: .seconds(60), on: loop))
                }
                // All descriptors below the lowest free one are in use.
                let free = dup(0)
                close(free)
                let before = Self.allowDescriptors(rlim_t(free))
                #expect(dup(0) == -1 && errno == EMFILE)
                listener.start()
                for socket in early {
                    let side = RecordingHandler()
                    socket.start(side)
                    await side.until { $0.ends > 0 || $0.ending != nil }
                    socket.close()
                }
                #expect(accepted.value == 0 && refused.value == 2)
                _ = Self.allowDescriptors(before)
                let socket = try await StreamSocket.connect(to: listener.address, timeout: .seconds(60), on: loop)
                let side = RecordingHandler()
                socket.start(side)
                await side.until { $0.ends > 0 || $0.ending != nil }
                #expect(accepted.value == 1 && refused.value == 2)
                socket.close()
                listener.stop()
            }
        }
    }

    /// Sets the process's limit of descriptors, so that it opens none with a number of `limit` or above; returns the
    /// limit before.
    static func allowDescriptors(_ limit: rlim_t) -> rlim_t {
        var limits = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
        let before = limits.rlim_cur
        limits.rlim_cur = limit
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
        return before
    }

    @Test("A listener that stops first accepts the connections that the kernel has completed")
    func stopping() async throws {
        try await onLoop { loop in
            let counter = Counter()
            let listener = try Listener(on: loop, address: SocketAddress(ip: "127.0.0.1", port: 0)!) { descriptor, _ in
                counter.add()
                close(descriptor)
            }
            listener.start()
            let clients = (0..<5).map { _ in halfOpen(port: listener.address.port) }
            listener.stop()
            #expect(counter.value == 5)
            for client in clients { close(client) }
        }
    }

    @Test("A listener that takes no more leaves new connections to the next listener of its address, and loses none")
    func takingNoMore() async throws {
        try await onLoop { loop in
            let (early, late) = (Counter(), Counter())
            let old = try Listener(on: loop, address: SocketAddress(ip: "127.0.0.1", port: 0)!) { descriptor, _ in
                early.add()
                close(descriptor)
            }
            old.start()
            let before = halfOpen(port: old.address.port)
            old.takeNoMore()
            let after = halfOpen(port: old.address.port)
            let new = try Listener(on: loop, address: old.address) { descriptor, _ in
                late.add()
                close(descriptor)
            }
            new.start()
            old.stop()
            // The kernel of the second client repeats its request after a second.
            try await eventually("both connections") { early.value + late.value == 2 }
            #expect(early.value == 1 && late.value == 1)
            new.stop()
            close(before)
            close(after)
        }
    }

    @Test("Addresses are parsed and printed: IPv4, IPv6 and paths")
    func addresses() {
        #expect(SocketAddress(ip: "127.0.0.1", port: 80)?.description == "127.0.0.1:80")
        #expect(SocketAddress(ip: "::1", port: 443)?.host == "::1")
        #expect(SocketAddress(ip: "localhost", port: 80) == nil && SocketAddress(ip: "1.2.3", port: 80) == nil)
        #expect(SocketAddress(unixPath: "/tmp/socket")?.description == "/tmp/socket")
        #expect(SocketAddress(unixPath: String(repeating: "x", count: 200)) == nil)
    }

    @Test("A Unix socket connects like a TCP socket")
    func unixSockets() async throws {
        try await onLoop { loop in
            let path = "/tmp/maru-\(getpid())-\(UInt32.random(in: 0 ... .max)).sock"
            let address = SocketAddress(unixPath: path)!
            let (accepted, note) = AsyncStream<Int32>.makeStream()
            let listener = try Listener(on: loop, address: address) { descriptor, _ in note.yield(descriptor) }
            listener.start()
            let far = try await StreamSocket.connect(to: address, timeout: .seconds(60), on: loop)
            var iterator = accepted.makeAsyncIterator()
            let near = StreamSocket(descriptor: await iterator.next()!, peer: address, on: loop)
            let (nearSide, farSide) = (RecordingHandler(), RecordingHandler())
            near.start(nearSide)
            far.start(farSide)
            near.writeLimit = .max
            near.write([UInt8](repeating: 5, count: 3_000_000))
            near.closeAfterFlush()
            await farSide.until { $0.ends == 1 }
            #expect(farSide.received.count == 3_000_000)
            far.close()
            listener.stop()
            unlink(path)
        }
    }
}
