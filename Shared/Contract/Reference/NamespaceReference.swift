/// A Socket.IO namespace as the reference of the API describes it.
public struct NamespaceReference: Sendable {
    /// An event of the namespace, with one object as argument.
    public struct Event: Sendable {
        let name: String
        let text: String
        let argument: Schema
        /// The acknowledgement of an event that clients send; nil for events of the server.
        let reply: Schema?

        /// An event that the server sends.
        public static func toClient(_ name: String, _ text: String, _ argument: Schema) -> Event {
            Event(name: name, text: text, argument: argument, reply: nil)
        }

        /// An event that the client sends, with its acknowledgement after a success.
        public static func toServer(_ name: String, _ text: String, _ argument: Schema, reply: Schema) -> Event {
            Event(name: name, text: text, argument: argument, reply: reply)
        }
    }

    let name: String
    /// The namespace, such as `/me` or `/ws-channel-{channel_id}`.
    let address: String
    let text: String
    let forms: [ClientProfile.Form]
    let events: [Event]

    /// - Parameters:
    ///   - name: a word that names it in the reference.
    ///   - forms: the clients that have it.
    public init(_ name: String, at address: String, _ text: String, for forms: [ClientProfile.Form], _ events: [Event])
    {
        self.name = name
        self.address = address
        self.text = text
        self.forms = forms
        self.events = events
    }
}
