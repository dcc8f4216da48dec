import EngineIO
import WebSocket
import Wire

@testable import SocketIO

extension FuzzTarget {
    /// A packet is the same after it was written and read again. A client's messages, in any order, cause events only
    /// for its namespaces. Messages are separated by 255; those of odd length are binary.
    static let socketIO = FuzzTarget { bytes in
        for version in [EngineVersion.v4, .v3] {
            var machine = SocketIOMachine(version, SocketIOSettings())
            var decoder = PacketDecoder(PacketLimits())
            for part in bytes.split(separator: 0xFF) {
                let message = Message(part.count % 2 == 0 ? .text : .binary, Array(part))
                if let packet = try? decoder.decode(message) { rewrite(packet) }
                for action in machine.received(message) { act(on: action, &machine) }
            }
        }
    }

    private static func rewrite(_ packet: ReceivedPacket) {
        let kind: SocketIOPacket.Kind =
            switch packet.kind {
            case .connect: .connect
            case .disconnect: .disconnect
            case .event: .event
            case .acknowledgement: .acknowledgement
            }
        var written = SocketIOPacket(kind, in: packet.namespace, id: packet.id, payload: packet.payload?.text)
        written.attachments = packet.attachments
        var decoder = PacketDecoder(PacketLimits())
        var again: ReceivedPacket?
        for message in written.messages { again = try? decoder.decode(message) }
        require(again?.namespace == packet.namespace && again?.id == packet.id, "it is not read back unchanged")
        require(again?.payload?.text == packet.payload?.text, "its payload is not read back unchanged")
        require(again?.attachments == packet.attachments, "its attachments have changed")
    }

    private static func act(on action: SocketIOMachine.Action, _ machine: inout SocketIOMachine) {
        switch action {
        case .join(let namespace, _):
            require(!machine.isIn(namespace), "in a namespace before the join was accepted")
            _ =
                namespace.count % 3 == 0
                ? machine.refuse(namespace, message: "no") : machine.accept(namespace, id: "id")
        case .event(let event, let namespace):
            require(machine.isIn(namespace), "an event from a namespace that was not joined")
            for argument in event.arguments { _ = argument.text }
        case .acknowledged(_, let namespace): require(machine.isIn(namespace), "an acknowledgement without a join")
        case .left(let namespace): require(!machine.isIn(namespace), "still in a namespace after leaving it")
        case .send, .close: break
        }
    }
}
