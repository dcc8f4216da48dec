import Contract
import HTTP

/// The limits of outgoing webhooks.
struct WebhookLimits: Sendable {
    /// Subscriptions of one workspace.
    let ofWorkspace: Int
    /// The time-out of a call to a receiver.
    let timeout: Duration
    /// How long an event is tried again, and how long a subscription fails before it is switched off.
    let giveUpAfter: (ofEvent: Duration, ofSubscription: Duration)
    /// How long events are kept.
    let memory: Duration
    /// How long the old secret signs after a rotation.
    let overlap: Duration
    /// The addresses that may be called.
    let addresses: PeerRule

    /// Returns the URL of a receiver if it may be called. The address behind a name is checked with each connection. A
    /// numeric one can be refused at once.
    func checkedURL(_ text: String) throws(Failure) -> String {
        guard let url = OutsideURL(text) else {
            throw .invalid("url must be an absolute http or https URL without a user or a fragment.")
        }
        if let address = IPAddress(url.host), !addresses.allows(address, port: url.port) {
            throw .invalid("url must be a public address.")
        }
        return url.text
    }

    /// A client that calls these addresses alone.
    func client(timeout: Duration) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration()
        configuration.peers = addresses
        configuration.maximumConnections = 256
        // Many receivers can be at one host: a slow one must leave connections for the others.
        configuration.maximumConnectionsPerHost = configuration.maximumConnections
        configuration.connectTimeout = timeout
        configuration.userAgent = "maru-webhooks"
        return configuration
    }
}
