internal import CCrypto
internal import Synchronization

/// OpenSSL contexts that are prepared once for a key and then reused: preparing one costs more than a message's HMAC.
///
/// There are as many as threads have used the key at the same time.
final class ReusedContexts: Sendable {
    /// - Note: `@unchecked Sendable` because one thread uses a context at a time: `use` takes it out of the list, whose lock
    /// orders the uses, and puts it back.
    private struct Context: @unchecked Sendable {
        let raw: OpaquePointer
    }

    private let idle = Mutex<[Context]>([])
    private let make: @Sendable () -> OpaquePointer?
    private let free: @Sendable (OpaquePointer) -> Void

    init(make: @escaping @Sendable () -> OpaquePointer?, free: @escaping @Sendable (OpaquePointer) -> Void) {
        self.make = make
        self.free = free
    }

    deinit { idle.withLock { $0.forEach { free($0.raw) } } }

    func use<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        let context = idle.withLock { $0.popLast() } ?? makeContext()
        defer { idle.withLock { $0.append(context) } }
        return body(context.raw)
    }

    private func makeContext() -> Context {
        guard let raw = make() else { preconditionFailure("OpenSSL could not make a context") }
        return Context(raw: raw)
    }
}
