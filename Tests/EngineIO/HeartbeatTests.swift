import Testing
import WebSocket

@testable import EngineIO

@Suite("Heartbeats")
struct HeartbeatTests {
    @Test("Version 4 pings after each interval, as long as the client answers")
    func pings() {
        let session = Session(over: .webSocket)
        for _ in 0..<4 {
            session.wait(milliseconds: 299)
            #expect(session.take() == [])
            session.wait(milliseconds: 1)
            #expect(session.take() == [.write(.text("2"))])
            session.wait(milliseconds: 150)
            session.receive("3")
            #expect(session.take() == [])
        }
    }

    @Test("Heartbeats that are due at nearly the same time are sent together, and none before its time")
    func meetings() {
        let times = EngineTimes(EngineSettings())
        let interval = times.pingInterval
        let meetings = (1...1000).map { step in
            let deadline = interval + UInt64(step) * 1_000_000
            let meeting = times.meeting(for: deadline)
            #expect(meeting >= deadline && meeting - deadline < interval / 60)
            return meeting
        }
        #expect(Set(meetings).count <= 7)
        #expect(times.meeting(for: meetings[0]) == meetings[0])
    }

    @Test("The session of a client that does not answer in time ends")
    func silence() {
        let session = Session(over: .webSocket)
        session.wait(milliseconds: 499)
        #expect(session.take() == [.write(.text("2"))])
        session.wait(milliseconds: 1)
        #expect(session.take() == [.closeWebSocket, .ended(.pingTimeout), .forget])
        session.wait(milliseconds: 10_000)
        #expect(session.take() == [])
    }

    @Test("Any packet shows that the client is alive, and its answer is still due")
    func lateAnswer() {
        let session = Session(over: .webSocket)
        session.wait(milliseconds: 450)
        session.receive("4x")
        _ = session.take()
        session.wait(milliseconds: 199)
        #expect(session.take() == [])
        session.receive("3")
        session.wait(milliseconds: 299)
        #expect(session.take() == [])
        session.wait(milliseconds: 1)
        #expect(session.take() == [.write(.text("2"))])
        session.wait(milliseconds: 200)
        #expect(session.take() == [.closeWebSocket, .ended(.pingTimeout), .forget])
    }

    @Test("The application hears of a heartbeat after the packets sent before it, and of its answer")
    func told() {
        let session = Session(over: .webSocket)
        session.change { $0.send(.text("a"), &$1) }
        session.wait(milliseconds: 300)
        #expect(session.takeAll() == [.write(.text("4a")), .write(.text("2")), .heartbeat(.sent)])
        session.receive("3")
        #expect(session.takeAll() == [.heartbeat(.answered)])
        let older = Session(.v3, over: .webSocket)
        older.receive("2")
        #expect(older.takeAll() == [.heartbeat(.answered), .write(.text("3")), .heartbeat(.sent)])
    }

    @Test("With polling, the ping waits for the poll")
    func byPolling() {
        let session = Session()
        session.wait(milliseconds: 300)
        #expect(session.take() == [])
        #expect(session.poll() == nil)
        #expect(session.take() == [.answer("2")])
        #expect(session.post("3") == nil)
        session.wait(milliseconds: 300)
        _ = session.poll()
        #expect(session.take() == [.answer("2")])
        session.wait(milliseconds: 200)
        #expect(session.take() == [.ended(.pingTimeout), .forget])
    }

    @Test("Version 3 answers pings with their content, and ends the session of a client that sends none")
    func version3() {
        let session = Session(.v3, over: .webSocket)
        for text in ["2", "2data", "2"] {
            session.wait(milliseconds: 499)
            session.receive(text)
            #expect(session.take() == [.write(.text("3" + text.dropFirst()))])
        }
        session.wait(milliseconds: 499)
        #expect(session.take() == [])
        session.wait(milliseconds: 1)
        #expect(session.take() == [.closeWebSocket, .ended(.pingTimeout), .forget])
    }

    @Test("A heartbeat in the wrong direction ends the session", arguments: [(EngineVersion.v4, "2"), (.v3, "3")])
    func wrongDirection(version: EngineVersion, packet: String) {
        let session = Session(version, over: .webSocket)
        session.receive(packet)
        #expect(session.take() == [.closeWebSocket, .ended(.transportError), .forget])
    }

    @Test("A ping that is sent some milliseconds late does not move the end of the time-out")
    func coarseTimer() {
        let session = Session(over: .webSocket)
        session.oversleep(milliseconds: 310)
        session.wake()
        #expect(session.take() == [.write(.text("2"))])
        session.wait(milliseconds: 189)
        #expect(session.take() == [])
        session.wait(milliseconds: 1)
        #expect(session.take() == [.closeWebSocket, .ended(.pingTimeout), .forget])
    }

    @Test("A blocked loop that pings much too late gives the client the whole time-out")
    func latePing() {
        let session = Session(over: .webSocket)
        session.oversleep(milliseconds: 3000)
        session.wake()
        #expect(session.take() == [.write(.text("2"))])
        session.wait(milliseconds: 199)
        #expect(session.take() == [])
        session.wait(milliseconds: 1)
        #expect(session.take() == [.closeWebSocket, .ended(.pingTimeout), .forget])
    }

    @Test("A blocked loop first reads the packets that have arrived meanwhile", arguments: [EngineVersion.v3, .v4])
    func lateLoop(version: EngineVersion) {
        for answers in [true, false] {
            let session = Session(version, over: .webSocket)
            session.wait(milliseconds: 300)
            session.oversleep(milliseconds: 3000)
            session.wake()
            if answers { session.receive(version == .v4 ? "3" : "2") }
            _ = session.take()
            session.wait(milliseconds: 60)
            #expect(session.take() == (answers ? [] : [.closeWebSocket, .ended(.pingTimeout), .forget]))
        }
    }

    @Test(
        "After the time-out no request finds the session, even if the timer is late",
        arguments: [EngineVersion.v3, .v4])
    func requestAfterTimeout(version: EngineVersion) {
        let requests: [(Session) -> EngineError?] = [
            { $0.poll() }, { $0.beginPost() },
            { session in
                session.refusal { machine, now, actions throws(EngineError) in
                    _ = try machine.candidateOpened(now: now, &actions)
                }
            },
        ]
        for request in requests {
            for (late, refusal) in [(UInt64(199), nil), (200, EngineError.unknownSession)] {
                let session = Session(version)
                session.wait(milliseconds: 300)
                session.oversleep(milliseconds: late)
                #expect(request(session) == refusal)
                let ended = session.take().contains(.ended(.pingTimeout))
                #expect(ended == (refusal != nil))
            }
        }
    }

    @Test("A post after the time-out ends the waiting poll")
    func postAfterTimeout() {
        let session = Session(.v3)
        #expect(session.poll() == nil)
        session.oversleep(milliseconds: 500)
        #expect(session.beginPost() == .unknownSession)
        #expect(session.take() == [.answer("1:1"), .ended(.pingTimeout), .forget])
    }
}
