import EventLoop
import LoadClient

/// The load of `/me` sockets: `deploy/bench me`.
public struct MeLoad: Sendable {
    private static let usage = """
        usage: [devices] [delivery] [--quick]
          devices   10,000 devices with 50 rooms each, with chat-service: memory, idle cost, from a POST to the sockets, and
                    the return of all after a kill -9 of the gateway
          delivery  events to all of 2,000 sockets in a room: CPU a delivery beside the sockets of the room itself
          --quick   fewer events and rounds
        """

    private var parts: Set<String> = []
    private var isQuick = false

    /// Reads a command line without the program's name; nil for a request for help or an unknown argument.
    public init?(_ arguments: [String]) {
        for argument in arguments {
            switch argument {
            case "--quick": isQuick = true
            case "devices", "delivery": parts.insert(argument)
            default:
                print(Self.usage)
                return nil
            }
        }
        if parts.isEmpty { parts = ["devices", "delivery"] }
    }

    /// Measures and prints the table; returns the exit status, which is 1 if a target is missed.
    public func run() async -> Int32 {
        await GatewayLoad.run(["devices", "delivery"].filter(parts.contains)) { part, loop in
            try await measure(part, on: loop)
        }
    }

    private func measure(_ part: String, on loop: EventLoop) async throws -> [Figure] {
        if part == "delivery" {
            return try await MeDelivery(room: FullRoom(events: isQuick ? 50 : 200, rounds: isQuick ? 1 : 3)).run(
                on: loop)
        }
        var devices = MeDevices()
        if isQuick { (devices.idleSeconds, devices.postSeconds) = (25, 5) }
        return try await devices.run(on: loop)
    }
}
