import Synchronization
import TestSupport
import Wire

/// A client that connects again, to the next node, whenever its connection ends, as apps do for ever.
final class Traveller: Sendable {
    private struct State {
        var past: [String] = []
        var current: SocketClient?
        var isStopped = false
        var connections = 0
        var losses: [ClosedRange<Timestamp>] = []
    }

    /// The looks at a connection before its end that count as a part of it.
    private static let mostLooks = 50

    private let namespace: String
    private let token: String
    private let ports: @Sendable () -> [UInt16]
    private let state = Mutex(State())

    init(_ namespace: String, token: String, ports: @escaping @Sendable () -> [UInt16]) {
        self.namespace = namespace
        self.token = token
        self.ports = ports
        Task { [self] in await travel() }
    }

    /// All texts that have come, over all connections.
    var texts: [String] {
        state.withLock { $0.past + ($0.current?.record.texts(namespace) ?? []) }
    }

    /// Whether it is in the room now.
    var isIn: Bool {
        state.withLock { state in
            guard let record = state.current?.record else { return false }
            return record.joined.contains(namespace) && !record.isEnded
        }
    }

    /// When its connections have ended: between these moments, which are far apart if the machine stood still meanwhile.
    var losses: [ClosedRange<Timestamp>] { state.withLock(\.losses) }

    /// Loses its connection.
    func drop() { state.withLock { $0.current }?.drop() }

    func stop() {
        state.withLock { $0.isStopped = true }
        drop()
    }

    private func travel() async {
        while !state.withLock({ $0.isStopped }) {
            let number = state.withLock { state in
                state.connections += 1
                return state.connections
            }
            let places = ports()
            if !places.isEmpty,
                let client = try? SocketClient(
                    port: places[number % places.count], headers: [("Authorization", token)])
            {
                state.withLock { $0.current = client }
                try? client.join(namespace)
                // After a standstill the end may be seen only a few looks later, as another thread reads it.
                var looks: [Timestamp] = []
                while !client.record.isEnded {
                    looks = Array(looks.suffix(Self.mostLooks - 1)) + [Timestamp.now]
                    try? await pause(for: .milliseconds(5))
                }
                let end = Timestamp.now
                let start = min(looks.first ?? end, end)
                state.withLock { state in
                    state.past += client.record.texts(namespace)
                    state.current = nil
                    state.losses.append(start...end)
                }
            }
            try? await pause(for: .milliseconds(50))
        }
    }
}
