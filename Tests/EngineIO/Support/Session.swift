import WebSocket

@testable import EngineIO

/// A machine with the test's clock and a record of its actions.
final class Session {
    private(set) var machine: EngineMachine
    private(set) var now: UInt64 = 1_000_000_000
    /// Actions since the last `take`.
    private var actions: [EngineMachine.Action] = []

    static let settings: EngineSettings = {
        var settings = EngineSettings()
        settings.pingInterval = .milliseconds(300)
        settings.pingTimeout = .milliseconds(200)
        settings.upgradeTimeout = .milliseconds(1000)
        settings.closeTimeout = .milliseconds(400)
        settings.outputLimit = 1000
        return settings
    }()

    init(_ version: EngineVersion = .v4, over transport: EngineTransport = .polling, opened: Bool = true) {
        machine = EngineMachine(
            version, over: transport, takesBinary: version == .v3, times: EngineTimes(Self.settings), now: now)
        if opened {
            machine.open(id: "id", Self.settings, &actions)
            if transport == .polling { _ = poll() }
            actions = []
        }
    }

    /// Returns the actions since the last call, without heartbeat events.
    func take() -> [EngineMachine.Action] {
        takeAll().filter { if case .heartbeat = $0 { false } else { true } }
    }

    /// Returns the actions since the last call.
    func takeAll() -> [EngineMachine.Action] {
        defer { actions = [] }
        return actions
    }

    func change(_ event: (inout EngineMachine, inout [EngineMachine.Action]) -> Void) {
        event(&machine, &actions)
    }

    /// Calls the machine at the present time, and returns its refusal, if any.
    func refusal(
        of request: (inout EngineMachine, UInt64, inout [EngineMachine.Action]) throws(EngineError) -> Void
    ) -> EngineError? {
        do throws(EngineError) {
            try request(&machine, now, &actions)
            return nil
        } catch {
            return error
        }
    }

    func poll() -> EngineError? {
        refusal { machine, now, actions throws(EngineError) in try machine.poll(now: now, &actions) }
    }

    func beginPost() -> EngineError? {
        refusal { machine, now, actions throws(EngineError) in try machine.postBegan(now: now, &actions) }
    }

    func post(_ body: String) -> EngineError? {
        if let refusal = beginPost() { return refusal }
        return refusal { machine, now, actions throws(EngineError) in
            try machine.posted(PollPayload(bytes: Array(body.utf8)), now: now, &actions)
        }
    }

    func send(_ text: String) { machine.send(.text(text), &actions) }

    func receive(_ text: String) { machine.received(.text(text), now: now, &actions) }

    func probe(_ text: String) { machine.candidateReceived(.text(text), now: now, &actions) }

    func openCandidate() -> Bool {
        var isTaken = false
        _ = refusal { machine, now, actions throws(EngineError) in
            isTaken = try machine.candidateOpened(now: now, &actions)
        }
        return isTaken
    }

    func close() { machine.close(now: now, &actions) }

    /// Lets time pass, and wakes the machine whenever it asks for it.
    func wait(milliseconds: UInt64) {
        let end = now + milliseconds * 1_000_000
        while machine.deadline <= end {
            now = max(now, machine.deadline)
            machine.timePassed(now: now, &actions)
        }
        now = end
    }

    /// Lets time pass without waking the machine.
    func oversleep(milliseconds: UInt64) { now += milliseconds * 1_000_000 }

    /// Wakes the machine.
    func wake() { machine.timePassed(now: now, &actions) }
}

extension EngineMachine.Action {
    static func answer(_ text: String) -> EngineMachine.Action { .answerPoll(PollPayload(bytes: Array(text.utf8))) }
}
