public import HTTP

/// What the peers of a service under test know, and what they answer.
public protocol StubState: Sendable {
    init()

    /// How long a call waits before it is answered.
    func delay(of call: StubCall) -> Duration

    /// What a call is answered; nil for what nobody knows.
    mutating func answer(_ call: StubCall) -> Response?

    /// Whether the answer to a call is made, but does not leave yet.
    func isHolding(_ call: StubCall) -> Bool
}

extension StubState {
    public func delay(of call: StubCall) -> Duration { .zero }

    public func isHolding(_ call: StubCall) -> Bool { false }
}
