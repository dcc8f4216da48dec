internal import Contract
internal import EventLoop
internal import Telemetry

/// A warning: API keys for development, which anybody can guess, serve clients of other machines.
struct DevelopmentKeys: Sendable {
    private let keys: [String]
    private let address: SocketAddress

    /// Nil if there is no such key, or if only this machine can connect to the address for clients.
    init?(of profiles: ClientProfiles, at address: SocketAddress) {
        keys = profiles.developmentKeys
        self.address = address
        if keys.isEmpty || address.isLoopback { return nil }
    }

    func write(to log: Log) {
        log.warning(
            "API keys for development serve other machines",
            ["keys": .name(keys.joined(separator: ", ")), "address": .name(address.description)])
    }

    /// The line on the readiness page.
    var line: String { "warning: API keys for development serve \(address): \(keys.joined(separator: ", "))" }
}
