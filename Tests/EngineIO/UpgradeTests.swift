import Testing
import WebSocket

@testable import EngineIO

@Suite("WebSockets and upgrades")
struct UpgradeTests {
    @Test("A session by WebSocket alone offers no upgrade, and carries packets both ways")
    func webSocketOnly() {
        let session = Session(over: .webSocket, opened: false)
        session.change { $0.open(id: "abc", Session.settings, &$1) }
        let open = #"0{"sid":"abc","upgrades":[],"pingInterval":300,"pingTimeout":200,"maxPayload":1000000}"#
        #expect(session.take() == [.write(.text(open))])
        session.send("a")
        session.receive("4b")
        session.change { $0.received(.binary([1]), now: 0, &$1) }
        #expect(session.take() == [.write(.text("4a")), .deliver(.text("b")), .deliver(.binary([1]))])
        #expect(session.poll() == .badRequest)
        #expect(session.post("4x") == .badRequest)
        #expect(!session.openCandidate())
    }

    @Test("The end of the WebSocket ends the session, from either side")
    func webSocketEnds() {
        var session = Session(over: .webSocket)
        session.change { $0.webSocketClosed(&$1) }
        #expect(session.take() == [.ended(.transportClosed), .forget])
        session = Session(over: .webSocket)
        session.receive("1")
        #expect(session.take() == [.closeWebSocket, .ended(.closedByClient), .forget])
        session = Session(over: .webSocket)
        session.close()
        session.close()
        #expect(session.take() == [.closeWebSocket, .ended(.closedHere), .forget])
        session = Session(over: .webSocket)
        session.receive("nonsense")
        session.receive("4never")
        #expect(session.take() == [.closeWebSocket, .ended(.parseError), .forget])
    }

    @Test("A probe is answered and frees the waiting poll; then the session moves over with all queued packets")
    func upgrade() {
        for version in [EngineVersion.v3, .v4] {
            let session = Session(version)
            let noop = version == .v4 ? "6" : "1:6"
            _ = session.poll()
            #expect(session.openCandidate())
            #expect(!session.openCandidate(), "one at a time")
            session.probe("2probe")
            #expect(session.take() == [.writeToCandidate(.text("3probe")), .answer(noop)])
            session.send("between")
            #expect(session.take() == [])
            session.probe("5")
            #expect(session.take() == [.adoptCandidate, .writeCounted(.text("4between"))])
            session.send("after")
            #expect(session.take() == [.write(.text("4after"))])
            #expect(session.poll() == .badRequest)
            #expect(!session.openCandidate())
        }
    }

    @Test(
        "During an upgrade, polls still return queued packets, and return at once if there are none")
    func pollsMeanwhile() {
        let session = Session()
        _ = session.openCandidate()
        #expect(session.poll() == nil && session.take() == [], "no probe yet")
        session.probe("2probe")
        _ = session.take()
        #expect(session.poll() == nil)
        #expect(session.take() == [.answer("6")])
        session.send("a")
        #expect(session.poll() == nil)
        #expect(session.take() == [.answer("4a")])
        #expect(session.post("4b") == nil)
        #expect(session.take() == [.deliver(.text("b"))])
    }

    @Test("A client that probes and never upgrades cannot poll in a loop, and gets no more than the time-out")
    func neverFinished() {
        let session = Session()
        _ = session.openCandidate()
        session.probe("2probe")
        _ = session.take()
        var answered = 0
        while answered < 100, session.poll() == nil, session.take() == [.answer("6")] { answered += 1 }
        #expect(answered == 8)
        session.send("ends the poll")
        _ = session.take()
        for _ in 0..<3 {
            session.wait(milliseconds: 300)
            _ = session.poll()
            #expect(session.take() == [.answer("2")])
            #expect(session.post("3") == nil)
        }
        session.wait(milliseconds: 100)
        #expect(session.take() == [.closeCandidate])
        #expect(session.openCandidate(), "another may try")
    }

    @Test(
        "An upgrade candidate that sends anything but a probe and an upgrade is closed, and the session goes on",
        arguments: [
            "4x", "2", "2other", "3probe", "", "zzz",
        ])
    func badProbe(text: String) {
        let session = Session()
        _ = session.openCandidate()
        session.probe(text)
        #expect(session.take() == [.closeCandidate])
        session.probe("5")
        session.send("a")
        #expect(session.poll() == nil)
        #expect(session.take() == [.answer("4a")])
    }

    @Test("A candidate that ends leaves the session; the session's end closes the candidate")
    func trialEnds() {
        var session = Session()
        _ = session.openCandidate()
        session.change { machine, _ in machine.candidateClosed() }
        #expect(session.openCandidate())
        session.probe("2probe")
        _ = session.take()
        #expect(session.post("1") == nil)
        #expect(session.take() == [.closeCandidate, .ended(.closedByClient), .forget])
        session = Session()
        _ = session.openCandidate()
        session.close()
        #expect(session.take() == [.closeCandidate, .ended(.closedHere)])
    }

    @Test("Heartbeats continue across an upgrade")
    func heartbeat() {
        let session = Session()
        session.wait(milliseconds: 200)
        _ = session.openCandidate()
        session.probe("2probe")
        session.probe("5")
        _ = session.take()
        session.wait(milliseconds: 100)
        #expect(session.take() == [.write(.text("2"))])
    }
}
