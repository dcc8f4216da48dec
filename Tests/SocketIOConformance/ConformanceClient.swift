import EngineIO
import EventLoop
import SocketIO
import Wire

/// The behaviour that Socket.IO's public suite expects of a server: `auth` after joining, `message` sent back,
/// `message-with-ack` acknowledged, and two namespaces.
///
/// The suite awaits one WebSocket frame after the other with listeners that receive one each, and loses the second if
/// its runtime reads both in one turn. So frames without a client's request between them are sent some milliseconds
/// apart.
final class ConformanceClient: SocketIOHandler {
    func join(_ namespace: String, _ authentication: SocketIOAuthentication, from client: SocketIOClient) {
        guard namespace == "/" || namespace == "/custom" else {
            return client.refuse(namespace, message: "Invalid namespace")
        }
        // Version 3 is in the main namespace without asking, right after the packet that opens the session.
        guard client.engine.version == .v3 && namespace == "/" else {
            return welcome(client, to: namespace, authentication)
        }
        Self.apart(client) { [self] in welcome(client, to: namespace, authentication) }
    }

    private func welcome(
        _ client: SocketIOClient, to namespace: String, _ authentication: SocketIOAuthentication
    ) {
        client.accept(namespace)
        Self.apart(client) { client.send(Self.answer(to: authentication, in: namespace)) }
    }

    private static func apart(_ client: SocketIOClient, _ action: @escaping () -> Void) {
        guard client.engine.transport == .webSocket else { return action() }
        client.engine.loop.schedule(after: .milliseconds(10), action)
    }

    private static func answer(
        to authentication: SocketIOAuthentication, in namespace: String
    ) -> SocketIOPacket {
        .event("auth", in: namespace) { json in
            switch authentication {
            case .none: json.object { _ in }
            case .payload(let payload): json.value(payload)
            case .query(let query):
                json.object { json in
                    for (name, value) in query.all {
                        json.key(escaping: name)
                        json.value(value)
                    }
                }
            }
        }
    }

    func received(_ event: SocketIOEvent, in namespace: String, from client: SocketIOClient) {
        var answer: SocketIOPacket
        switch (event.name, event.id) {
        case ("message", _):
            answer = .event("message-back", in: namespace) { json in for value in event.arguments { json.value(value) }
            }
        case ("message-with-ack", let id?):
            answer = .acknowledgement(of: id, in: namespace) { json in
                for value in event.arguments { json.value(value) }
            }
        default: return
        }
        answer.attachments = event.attachments
        client.send(answer)
    }

    func ended(_ ending: EngineEnding, from client: SocketIOClient) {}
}
