internal import EventLoop
internal import HTTP
internal import Synchronization
internal import TestSupport
internal import Wire

/// A server in place of the peers of a service under test, with a state that the test can read and change.
///
/// It publishes the keys of `tokens`, and no revocations unless the state has some.
public final class StubServer<State: StubState>: Sendable {
    public let tokens: TokenIssuer
    public let port: UInt16
    private let loops = EventLoopGroup(count: 1)
    private let server: Server
    private let state: Shared

    private final class Shared: Sendable {
        let value: Mutex<State>

        init(_ state: State) { value = Mutex(state) }
    }

    public init(_ state: State = State()) throws {
        let (state, tokens) = (Shared(state), TokenIssuer())
        self.state = state
        self.tokens = tokens
        server = Server(on: loops) { request in
            let call = StubCall(request, try await request.body.collect(upTo: 1 << 20))
            if call.path == "/internal/keys" { return .json(tokens.jwks) }
            let delay = state.value.withLock { $0.delay(of: call) }
            if delay > .zero { try await pause(for: delay) }
            let answer = state.value.withLock { $0.answer(call) }
            while state.value.withLock({ $0.isHolding(call) }) { try await pause(for: .milliseconds(5)) }
            if let answer { return answer }
            return call.path == "/internal/revocations"
                ? .json(#"{"now":\#(Timestamp.now.milliseconds),"revocations":[]}"#) : .refusal(404, "E13")
        }
        port = try server.start(at: SocketAddress(ip: "127.0.0.1", port: 0)!).port
    }

    public var url: String { "http://127.0.0.1:\(port)" }

    /// Changes the state of the peers without a fact or hint.
    @discardableResult
    public func change<Value: Sendable>(_ change: (inout State) -> Value) -> Value {
        state.value.withLock { change(&$0) }
    }

    public var now: State { state.value.withLock(\.self) }

    public func stop() async {
        await server.stop()
        await onOwnThread { [loops] in loops.stop() }
    }
}
