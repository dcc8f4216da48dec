import EventLoop
import Glibc
import LoadClient
import TestSupport

/// The load of the realtime gateway, beside peers in the same run.
public struct GatewayLoad: Sendable {
    private enum Part: Character, CaseIterable {
        case fullRoom = "a"
        case largeRoom = "b"
        case posts = "c"
        case idle = "d"
        case pushes = "e"
        case flood = "f"
    }

    private static let usage = """
        usage: [a] [b] [c] [d] [e] [f] [--quick] [--python PATH]
          a  events to all of 2,000 sockets in a room: CPU a delivery and deliveries a second on one core, beside
             nchan's raw WebSockets and python-socketio
          b  2 events a second to all of 10,000 sockets in a room, clients on the same cores, beside nchan
          c  messages posted to chat-service, 1,000 deliveries a second with 10,000 sockets connected
          d  10,000 idle sockets: memory and heartbeats
          e  messages posted to chat-service, until FCM receives their pushes
          f  events to 200 sockets, without and with eight sockets that flood the gateway with compressed frames
          --quick   fewer events and rounds
          --python  a Python with python-socketio; by default .venv of deploy/test
        """

    private var parts: [Part] = []
    private var isQuick = false
    private var python: String

    /// Reads a command line without the program's name; nil for a request for help or an unknown argument.
    public init?(_ arguments: [String]) {
        let root = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        python = root + "/.venv/bin/python"
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--quick" {
                isQuick = true
            } else if argument == "--python", let path = rest.popFirst() {
                python = path
            } else if argument.count == 1, let part = Part(rawValue: argument.first!) {
                parts.append(part)
            } else {
                print(Self.usage)
                return nil
            }
        }
        if parts.isEmpty { parts = Part.allCases }
    }

    /// Measures and prints the table; returns the exit status, which is 1 if a target is missed.
    public func run() async -> Int32 {
        await Self.run(parts.map { String($0.rawValue) }) { name, loop in
            guard let part = name.first.flatMap(Part.init) else { return [] }
            return try await measure(part, on: loop)
        }
    }

    /// Measures parts one after the other and prints the table; returns the exit status, which is 1 if a target is missed.
    static func run(
        _ parts: [String], measure: @escaping @Sendable (String, EventLoop) async throws -> [Figure]
    ) async -> Int32 {
        guard DescriptorLimit.raise() >= 12_000 else {
            print("10,000 sockets need 12,000 descriptors: ulimit -n")
            return 2
        }
        let group = EventLoopGroup(count: 1)
        defer { group.stop() }
        var figures: [Figure] = []
        let busyBefore = loadAverage
        for part in parts {
            do {
                figures += try await group.loops[0].run { try await measure(part, group.loops[0]) }
            } catch {
                print("part \(part): \(error)")
                figures.append(Figure(part: part, what: "not measured", ours: .nan, target: ("", false)))
            }
        }
        print(FigureTable.text(figures))
        print("load average of the last minute: \(busyBefore) at the beginning, \(loadAverage) at the end")
        return figures.contains { $0.target?.isMet == false } ? 1 : 0
    }

    /// The load average. On a busy machine only ratios and CPU times are meaningful.
    private static var loadAverage: Double {
        var load = 0.0
        return getloadavg(&load, 1) == 1 ? (load * 10).rounded() / 10 : .nan
    }

    private func measure(_ part: Part, on loop: EventLoop) async throws -> [Figure] {
        switch part {
        case .fullRoom:
            return try await FullRoom(events: isQuick ? 50 : 200, rounds: isQuick ? 1 : 3).run(python: python, on: loop)
        case .largeRoom: return try await LargeRoom(events: isQuick ? 10 : 20, rounds: isQuick ? 1 : 3).run(on: loop)
        case .posts: return try await Posts(seconds: isQuick ? 5 : 20).run(on: loop)
        case .idle: return try await Idle(seconds: isQuick ? 25 : 50).run(on: loop)
        case .pushes: return try await Pushes(seconds: isQuick ? 5 : 20).run(on: loop)
        case .flood: return try await Flood(seconds: isQuick ? 5 : 20).run(on: loop)
        }
    }
}
