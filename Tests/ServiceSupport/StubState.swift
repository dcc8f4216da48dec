public import HTTP

/// The state of the peers of a service under test, and their answers.
public protocol StubState: Sendable {
    init()

    /// The delay before a call is answered.
    func delay(of call: StubCall) -> Duration

    /// The answer to a call; nil for an unknown call.
    mutating func answer(_ call: StubCall) -> Response?

    /// Whether the answer to a call is ready but held back.
    func isHolding(_ call: StubCall) -> Bool
}

extension StubState {
    public func delay(of call: StubCall) -> Duration { .zero }

    public func isHolding(_ call: StubCall) -> Bool { false }
}
