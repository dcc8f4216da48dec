import EngineIO
import SocketIO
import Wire

/// What the public suite of Socket.IO expects of a server: `auth` after joining, `message` sent back, `message-with-ack`
/// acknowledged, and two namespaces.
final class ConformanceClient: SocketIOHandler {
    func join(_ namespace: String, _ authentication: SocketIOAuthentication, from client: SocketIOClient) {
        guard namespace == "/" || namespace == "/custom" else {
            return client.refuse(namespace, message: "Invalid namespace")
        }
        client.accept(namespace)
        client.send(
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
            })
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
