import Testing
import WebSocket

@testable import EngineIO

@Suite("Sessions by polling")
struct PollingTests {
    @Test("The first poll returns the session's id, times and limits")
    func opening() throws {
        let session = Session(opened: false)
        session.change { $0.open(id: "abc", Session.settings, &$1) }
        #expect(session.take() == [])
        #expect(session.poll() == nil)
        let open =
            #"0{"sid":"abc","upgrades":["websocket"],"pingInterval":300,"pingTimeout":200,"maxPayload":1000000}"#
        #expect(session.take() == [.answer(open)])
    }

    @Test("A poll waits for the next packet, and takes all queued packets")
    func waiting() {
        let session = Session()
        #expect(session.poll() == nil && session.take() == [])
        session.send("a")
        #expect(session.take() == [.answer("4a")])
        session.send("b")
        session.send("c")
        #expect(session.take() == [])
        #expect(session.poll() == nil)
        #expect(session.take() == [.answer("4b\u{1E}4c")])
    }

    @Test("A poll takes no more packets than the stock client of Python accepts, and the next poll takes the others")
    func limited() {
        let session = Session()
        for number in 1...40 { session.send("\(number)") }
        func answer(_ numbers: ClosedRange<Int>) -> String { numbers.map { "4\($0)" }.joined(separator: "\u{1E}") }
        for numbers in [1...16, 17...32, 33...40] {
            #expect(session.poll() == nil)
            #expect(session.take() == [.answer(answer(numbers))])
        }
        #expect(session.poll() == nil && session.take() == [])
    }

    @Test("Posted packets are delivered in order")
    func posting() {
        let session = Session()
        #expect(session.post("4a\u{1E}4b\u{1E}bAQI=") == nil)
        #expect(session.take() == [.deliver(.text("a")), .deliver(.text("b")), .deliver(.binary([1, 2]))])
        let old = Session(.v3)
        #expect(old.post("2:4a3:4😀") == nil)
        #expect(old.take() == [.deliver(.text("a")), .deliver(.text("😀"))])
    }

    @Test("A second poll ends the session and both polls", arguments: [EngineVersion.v3, .v4])
    func overlappingPolls(version: EngineVersion) {
        let session = Session(version)
        #expect(session.poll() == nil)
        #expect(session.poll() == .badRequest)
        #expect(session.take() == [.answer(version == .v4 ? "1" : "1:1"), .ended(.transportError), .forget])
        #expect(session.poll() == .unknownSession)
        #expect(session.post("4a") == .unknownSession)
    }

    @Test("A second post ends the session")
    func overlappingPosts() {
        let session = Session()
        #expect(session.beginPost() == nil)
        #expect(session.beginPost() == .badRequest)
        #expect(session.take() == [.ended(.transportError), .forget])
    }

    @Test("A post that is too large is dropped; one that breaks off ends the session")
    func brokenPosts() throws {
        let session = Session()
        #expect(session.beginPost() == nil)
        session.change { machine, actions in try? machine.posted(nil, now: 0, &actions) }
        #expect(session.take() == [] && session.post("4a") == nil)
        _ = session.take()
        #expect(session.beginPost() == nil)
        session.change { $0.postLost(&$1) }
        #expect(session.take() == [.ended(.transportError), .forget])
    }

    @Test("A malformed packet ends the session, and a waiting poll reports it")
    func parseError() {
        let session = Session()
        _ = session.poll()
        #expect(session.post("abc") == .badRequest)
        #expect(session.take() == [.answer("1"), .ended(.parseError), .forget])
    }

    @Test("A closing client gets an answer to its poll", arguments: [EngineVersion.v3, .v4])
    func closedByClient(version: EngineVersion) {
        let session = Session(version)
        _ = session.poll()
        #expect(session.post(version == .v4 ? "4a\u{1E}1\u{1E}4b" : "2:4a1:12:4b") == nil)
        #expect(
            session.take() == [
                .deliver(.text("a")), .answer(version == .v4 ? "6" : "1:6"), .ended(.closedByClient), .forget,
            ])
    }

    @Test("A client that disconnects during a poll ends the session")
    func lostPoll() {
        let session = Session()
        _ = session.poll()
        session.change { $0.pollLost(&$1) }
        #expect(session.take() == [.ended(.transportError), .forget])
        session.change { $0.pollLost(&$1) }
        #expect(session.take() == [])
    }

    @Test("Closing the session is reported by the waiting poll, or by the next one")
    func closedHere() {
        var session = Session()
        _ = session.poll()
        session.close()
        #expect(session.take() == [.answer("1"), .ended(.closedHere), .forget])

        session = Session()
        session.send("last")
        session.close()
        session.send("never")
        #expect(session.take() == [.ended(.closedHere)])
        #expect(session.post("4late") == nil && session.take() == [])
        #expect(session.poll() == nil)
        #expect(session.take() == [.answer("4last\u{1E}1"), .forget])
        #expect(session.poll() == .unknownSession)
    }

    @Test("A closing session waits a limited time for its last poll")
    func closedUnheard() {
        let session = Session()
        session.close()
        _ = session.take()
        session.wait(milliseconds: 399)
        #expect(session.take() == [])
        session.wait(milliseconds: 1)
        #expect(session.take() == [.forget])
    }

    @Test("The queue of a client that does not poll is limited")
    func slowReader() {
        let session = Session()
        for _ in 0..<9 { session.send(String(repeating: "x", count: 107)) }
        #expect(session.take() == [])
        session.send(String(repeating: "x", count: 107))
        #expect(session.take() == [.ended(.slowReader), .forget])
    }

    @Test("A raised limit of the queue also holds for later messages")
    func raisedLimit() {
        let session = Session()
        session.change { machine, _ in machine.outputLimit += 5000 }
        session.send(String(repeating: "x", count: 5000))
        #expect(session.take() == [])
        session.send(String(repeating: "x", count: 1000))
        #expect(session.take() == [.ended(.slowReader), .forget])
    }

    @Test("Taken and queued bytes are counted, as frames of a WebSocket")
    func taken() {
        let session = Session()
        let before = session.machine.polledBytes
        for text in ["a", "bc"] { session.send(text) }
        #expect(session.machine.polledBytes == before && session.machine.queuedBytes == 9)
        _ = session.poll()
        #expect(session.machine.polledBytes == before + 9 && session.machine.queuedBytes == 0)
    }

    @Test("A message larger than the queue limit reaches a waiting poll")
    func largeMessage() {
        let session = Session()
        _ = session.poll()
        let text = String(repeating: "x", count: 5000)
        session.send(text)
        #expect(session.take() == [.answer("4" + text)])
    }

    @Test("Version 3 gets bytes as a binary body")
    func binary3() {
        let session = Session(.v3)
        _ = session.poll()
        session.change { $0.send(.binary([7]), &$1) }
        #expect(session.take() == [.answerPoll(PollPayload(bytes: [1, 2, 255, 4, 7], isBinary: true))])
    }
}
