@testable import HTTP

/// A machine with its clock and the buffer of its driver.
struct MachineBench {
    static let second: UInt64 = 1_000_000_000

    var machine: ConnectionMachine
    var now: UInt64 = 0
    var buffer: [UInt8] = []

    init(_ configure: (inout ServerConfiguration) -> Void = { _ in }) {
        var configuration = ServerConfiguration()
        configure(&configuration)
        machine = ConnectionMachine(ConnectionRules(configuration), now: 0)
    }

    /// Offers `text` as the driver does, and names the results.
    mutating func receive(_ text: String, outputIsFull: Bool = false) -> [String] {
        var names: [String] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let (count, reception) = rest.withUnsafeBytes {
                machine.received($0, into: &buffer, outputIsFull: outputIsFull, now: now)
            }
            rest = rest.dropFirst(count)
            names.append(Self.name(reception) + (count == 0 ? " 0" : ""))
            switch reception {
            case .wait, .pause, .bodyFull, .perform: return names
            case .skipped, .request, .bodyGrew, .bodyEnded: break
            }
        }
        return names
    }

    static func name(_ reception: ConnectionMachine.Reception) -> String {
        switch reception {
        case .request(let parts, let fields): "request \(parts.method.rawValue) \(fields.count)"
        case .perform(let action): name(action)
        case .wait, .pause, .skipped, .bodyGrew, .bodyFull, .bodyEnded: "\(reception)"
        }
    }

    static func name(_ action: ConnectionMachine.Action?) -> String {
        switch action {
        case .refuse(let refusal): "refuse \(refusal.status.code)"
        case .breakOff(let refusal): "break off \(refusal.status.code)"
        case nil: "cancel"
        case .some(let action): "\(action)"
        }
    }

    /// Replies as the driver does.
    mutating func reply(keepsAlive: Bool = true, hasUnread: Bool = false) -> String {
        guard let mayKeepAlive = machine.beginReply(isDraining: false) else { return "no reply" }
        let keeps = keepsAlive && mayKeepAlive
        return Self.name(machine.finishReply(keepsAlive: keeps, hasUnread: hasUnread, now: now))
    }

    // #expect cannot call a mutating method of a property.
    mutating func goOn() -> Bool { machine.goOn() }
    mutating func drained() -> Bool { machine.drained() }
    mutating func bodyIsWanted() -> Bool { machine.bodyIsWanted() }
    mutating func bodyWasTaken(now: UInt64) -> Bool { machine.bodyWasTaken(now: now) }
    mutating func becameIdle() -> Bool { machine.becameIdle(now: now) }
    mutating func streamed(_ count: Int) throws(BodyError) -> Bool { try machine.streamed(count) }
    mutating func endOfInput() -> String { Self.name(machine.endOfInput()) }
    mutating func drain() -> String { Self.name(machine.drain(now: now)) }
    mutating func linger() -> String { Self.name(machine.linger(now: now)) }

    mutating func passDeadline(sent: UInt64 = 0, isDrained: Bool = true) -> String {
        now = machine.nextDeadline
        return Self.name(machine.deadlinePassed(sent: sent, isDrained: isDrained, now: now))
    }
}
