internal import CSystem
internal import Glibc

/// The loops of a process, usually one for each core, each on its own thread.
public final class EventLoopGroup: Sendable {
    /// The loops by index.
    public let loops: [EventLoop]
    private let threads: [pthread_t]

    /// Starts `count` loops.
    public init(count: Int) {
        precondition(count > 0)
        cs_ignore_sigpipe()
        let loops = (0..<count).map(EventLoop.init(index:))
        self.loops = loops
        threads = loops.map { loop in
            startThread(named: "loop-\(loop.index)") { loop.run() }
        }
    }

    /// The loop for any number, such as a hash: the same number gives the same loop.
    public subscript(any number: Int) -> EventLoop { loops[Int(UInt(bitPattern: number) % UInt(loops.count))] }

    /// The index of the calling loop, if it belongs to this group; else nil.
    public var currentIndex: Int? {
        guard let current = cs_current_loop() else { return nil }
        return Unmanaged<EventLoop>.fromOpaque(current)._withUnsafeGuaranteedRef { loop in
            loop.index < loops.count && loops[loop.index] === loop ? loop.index : nil
        }
    }

    /// The calling loop. Off the group's loops the process ends.
    public var current: EventLoop {
        guard let index = currentIndex else { preconditionFailure("EventLoopGroup.current was read off its loops") }
        return loops[index]
    }

    /// The calling loop if it belongs to this group, else the first loop; for work that any loop of the group can do.
    public var nearest: EventLoop { loops[currentIndex ?? 0] }

    /// Stops all loops and waits for their threads. Do not call this on one of them.
    public func stop() {
        for loop in loops { loop.stop() }
        for thread in threads { pthread_join(thread, nil) }
    }
}

/// Starts a thread for a single blocking call that is never joined.
package func startDetachedThread(named name: String, _ body: @escaping @Sendable () -> Void) {
    pthread_detach(startThread(named: name, body))
}

/// Starts a thread that runs `body`; the name shows in `top -H`, truncated to 15 bytes.
func startThread(named name: String, _ body: @escaping @Sendable () -> Void) -> pthread_t {
    var thread = pthread_t()
    let start = Unmanaged.passRetained(ThreadStart(name: name, body: body))
    let failure = pthread_create(
        &thread, nil,
        { argument in
            let start = Unmanaged<ThreadStart>.fromOpaque(argument!).takeRetainedValue()
            cs_thread_name(String(start.name.prefix(15)))
            start.body()
            return nil
        }, start.toOpaque())
    precondition(failure == 0, "pthread_create failed: the process has reached its limit of threads")
    return thread
}

private final class ThreadStart: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }
}
