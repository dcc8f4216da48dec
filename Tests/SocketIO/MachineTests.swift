import EngineIO
import Testing
import WebSocket
import Wire

@testable import SocketIO

@Suite("Clients of Socket.IO")
struct MachineTests {
    /// Actions as short text.
    private func text(_ actions: [SocketIOMachine.Action]) -> [String] {
        actions.map { action in
            switch action {
            case .join(let namespace, .none): "join \(namespace)"
            case .join(let namespace, .payload(let payload)):
                "join \(namespace) \(String(decoding: payload.text, as: UTF8.self))"
            case .join(let namespace, .query(let query)):
                "join \(namespace) \(query.all.map { "\($0.name)=\($0.value)" })"
            case .left(let namespace): "left \(namespace)"
            case .event(let event, let namespace):
                "\(event.name) in \(namespace) \(event.id.map(String.init) ?? "-") \(event.attachments)"
            case .acknowledged(let answer, let namespace):
                "ack \(answer.id) in \(namespace) \(String(decoding: answer.payload.text, as: UTF8.self))"
            case .send(let packet): String(decoding: packet.text, as: UTF8.self)
            case .close: "close"
            }
        }
    }

    /// A client of revision 5 in `/`.
    private func joined(_ settings: SocketIOSettings = SocketIOSettings()) -> SocketIOMachine {
        var machine = SocketIOMachine(.v4, settings)
        _ = machine.received(.text("0"))
        _ = machine.accept("/", id: "s")
        return machine
    }

    @Test("A client asks for a namespace, with or without a payload, and gets its id there")
    func joining() {
        var machine = SocketIOMachine(.v4, SocketIOSettings())
        #expect(text(machine.opened()) == [])
        #expect(text(machine.received(.text("0"))) == ["join /"])
        #expect(!machine.isIn("/") && machine.namespaces == [])
        #expect(text(machine.accept("/", id: "abc")) == [#"0{"sid":"abc"}"#])
        #expect(text(machine.received(.text(#"0/admin,{"token":"123"}"#))) == [#"join /admin {"token":"123"}"#])
        #expect(text(machine.accept("/admin", id: "def")) == [#"0/admin,{"sid":"def"}"#])
        #expect(machine.namespaces == ["/", "/admin"])
        #expect(text(machine.accept("/admin", id: "again")) == [])
    }

    @Test("A refused client gets the reason, and may ask again")
    func refusing() {
        var machine = SocketIOMachine(.v4, SocketIOSettings())
        _ = machine.received(.text("0/x"))
        #expect(text(machine.refuse("/x", message: "Invalid namespace")) == [#"4/x,{"message":"Invalid namespace"}"#])
        #expect(text(machine.accept("/x", id: "late")) == [])
        #expect(text(machine.received(.text("0/x"))) == ["join /x"])
        #expect(text(machine.accept("/x", id: "a")) != [])
        #expect(text(machine.refuse("/x", message: "late")) == [])
    }

    @Test("Clients of revision 4 are in the main namespace without asking, and send their query in the namespace")
    func predecessor() {
        var machine = SocketIOMachine(.v3, SocketIOSettings())
        #expect(text(machine.opened()) == ["join /"])
        #expect(text(machine.accept("/", id: "abc")) == ["0"])
        #expect(
            text(machine.received(.text("0/admin?token=12%2034&uid=a")))
                == [#"join /admin ["token=12 34", "uid=a"]"#])
        #expect(text(machine.accept("/admin", id: "def")) == ["0/admin,"])
        #expect(text(machine.received(.text("0/x,"))) == ["join /x"])
        #expect(text(machine.refuse("/x", message: "Not authorized")) == [#"4/x,"Not authorized""#])
        #expect(text(machine.received(.text(#"2/admin?token=1,["a"]"#))) == ["a in /admin - []"])
        #expect(text(machine.received(.text("0/y?%zz"))) == ["close"])
    }

    @Test("Events arrive with their namespace, id and attachments, acknowledgements with their arguments")
    func events() {
        var machine = joined()
        #expect(text(machine.received(.text(#"2["foo",1]"#))) == ["foo in / - []"])
        #expect(text(machine.received(.text(#"212["foo"]"#))) == ["foo in / 12 []"])
        #expect(text(machine.received(.text("51-[\"bin\",{\"_placeholder\":true,\"num\":0}]"))) == [])
        #expect(text(machine.received(.binary([1, 2]))) == ["bin in / - [[1, 2]]"])
        #expect(text(machine.received(.text(#"37["bar"]"#))) == [#"ack 7 in / ["bar"]"#])
        #expect(text(machine.received(.text("2[5]"))) == ["5 in / - []"])
    }

    @Test(
        "A client that violates the protocol is closed",
        arguments: [
            "0", #"2/other,["a"]"#, "3/other,1[]", "2{}", "x", "", #"4{"message":"x"}"#,
        ])
    func violations(packet: String) {
        var machine = joined()
        #expect(text(machine.received(.text(packet))) == ["close"])
    }

    @Test("The first packet must be a connect, and an event must not arrive before the answer to it")
    func connectFirst() {
        for packet in [#"2["a"]"#, "30[]", "abc"] {
            var machine = SocketIOMachine(.v4, SocketIOSettings())
            #expect(text(machine.received(.text(packet))) == ["close"])
        }
        var machine = SocketIOMachine(.v4, SocketIOSettings())
        _ = machine.received(.text("0"))
        #expect(text(machine.received(.text(#"2["a"]"#))) == ["close"])
    }

    @Test("A client can leave one room and join the next on the same connection without limit")
    func roomAfterRoom() {
        var machine = SocketIOMachine(.v4, SocketIOSettings())
        for number in 1...1000 {
            #expect(text(machine.received(.text("0/ws-channel-\(number),"))) == ["join /ws-channel-\(number)"])
            _ = machine.accept("/ws-channel-\(number)", id: "s")
            #expect(text(machine.received(.text("1/ws-channel-\(number),"))) == ["left /ws-channel-\(number)"])
            #expect(machine.namespaces == [])
        }
    }

    @Test("Leaving while the request is open withdraws it")
    func leavingEarly() {
        var machine = SocketIOMachine(.v4, SocketIOSettings())
        _ = machine.received(.text("0/a"))
        #expect(text(machine.received(.text("1/a"))) == ["left /a"])
        #expect(text(machine.accept("/a", id: "late")) == [])
        #expect(!machine.isIn("/a"))
    }

    @Test("A removed client gets a disconnect packet, and its own leaving at the same time is not an error")
    func puttingOut() {
        var machine = joined()
        #expect(text(machine.disconnect("/")) == ["1"])
        #expect(text(machine.disconnect("/")) == [])
        #expect(text(machine.received(.text("1"))) == [])
        #expect(!machine.isIn("/"))
    }

    @Test("The number of namespaces of one client is limited")
    func tooMany() {
        var settings = SocketIOSettings()
        settings.namespaces = 2
        var machine = joined(settings)
        #expect(text(machine.received(.text("0/a"))) == ["join /a"])
        #expect(text(machine.received(.text("0/b"))) == ["close"])
    }
}
