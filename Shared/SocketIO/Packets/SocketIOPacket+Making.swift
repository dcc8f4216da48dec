public import Wire

extension SocketIOPacket {
    /// Makes an event with the arguments that `arguments` writes as elements of an array.
    public static func event(
        _ name: String, in namespace: String, id: UInt64? = nil, arguments: (inout JSONWriter) -> Void
    ) -> SocketIOPacket {
        let payload = JSONWriter.bytes { json in
            json.array { json in
                json.value(name)
                arguments(&json)
            }
        }
        return SocketIOPacket(.event, in: namespace, id: id, payload: payload)
    }

    /// Makes the acknowledgement of the event with this id.
    public static func acknowledgement(
        of id: UInt64, in namespace: String, arguments: (inout JSONWriter) -> Void = { _ in }
    ) -> SocketIOPacket {
        let payload = JSONWriter.bytes { json in json.array { json in arguments(&json) } }
        return SocketIOPacket(.acknowledgement, in: namespace, id: id, payload: payload)
    }
}
