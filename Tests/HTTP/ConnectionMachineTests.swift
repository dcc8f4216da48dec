import Testing

@testable import HTTP

@Suite("The state of a connection, without a socket")
struct ConnectionMachineTests {
    private typealias Bench = MachineBench

    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    private static func post(_ length: Int, _ body: String = "", fields: String = "") -> String {
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\(fields)\r\n\(body)"
    }

    @Test("One request is served at a time; the bytes after it are left to the caller")
    func order() {
        var bench = Bench()
        #expect(bench.receive(Self.get + Self.get) == ["request GET 1", "wait 0"])
        #expect(bench.machine.isServing && !bench.machine.isBetweenRequests)
        #expect(bench.reply() == "none")
        #expect(bench.goOn() == true)
        #expect(bench.receive(Self.get) == ["request GET 1"])
        #expect(bench.goOn() == false)
    }

    @Test("Reading pauses when too many bytes of later requests wait")
    func pipelineRoom() {
        var bench = Bench()
        _ = bench.receive(Self.get)
        let many = String(repeating: "a", count: ConnectionMachine.pipelineRoom)
        #expect(bench.receive(many) == ["pause 0"])
    }

    @Test("A request waits until the replies before it have left, even if the client has ended its side")
    func heldBack() {
        var bench = Bench()
        #expect(bench.receive(Self.get, outputIsFull: true) == ["wait 0"])
        #expect(bench.endOfInput() == "none")
        #expect(bench.drained() == true)
        #expect(bench.goOn() == true)
        #expect(bench.receive(Self.get) == ["request GET 1"])
        #expect(bench.reply() == "none")
        #expect(bench.endOfInput() == "closeAfterFlush")
    }

    @Test("A body is decoded into the buffer up to its room, and reading continues once it was taken")
    func body() {
        var bench = Bench()
        let size = IncomingBody.room + 10
        #expect(bench.receive(Self.post(size)) == ["request POST 2"])
        #expect(bench.receive(String(repeating: "b", count: size)) == ["bodyFull"])
        #expect(bench.buffer.count == IncomingBody.room)
        bench.buffer = []
        #expect(bench.bodyWasTaken(now: 1) == true)
        #expect(bench.receive("0123456789") == ["bodyEnded"])
        #expect(bench.machine.bodyIsComplete)
        #expect(bench.bodyWasTaken(now: 2) == false)
        #expect(bench.reply() == "none")
    }

    @Test("A short unread rest of a body is discarded; a long one closes the connection")
    func unreadBody() {
        var bench = Bench()
        _ = bench.receive(Self.post(10, "012"))
        #expect(bench.reply() == "setTimer")
        #expect(bench.receive("3456") == ["wait"])
        #expect(bench.receive("789" + Self.get) == ["skipped", "request GET 1"])
        #expect(bench.reply() == "none")
        _ = bench.receive(Self.post(1_000_000))
        #expect(bench.reply() == "endAfterFlush")
        #expect(bench.receive(Self.get) == ["wait"], "input is discarded")
    }

    @Test("100 Continue is due once, when the handler wants the body; without it the connection is not kept")
    func expectContinue() {
        var bench = Bench()
        _ = bench.receive(Self.post(2, fields: "Expect: 100-continue\r\n"))
        #expect(bench.bodyIsWanted() == true)
        #expect(bench.bodyIsWanted() == false)
        _ = bench.receive("ab")
        #expect(bench.reply() == "none")
        _ = bench.receive(Self.post(2, fields: "Expect: 100-continue\r\n"))
        let mayKeepAlive = bench.machine.beginReply(isDraining: false)
        #expect(mayKeepAlive == false)
    }

    @Test(
        "A refused request ends the connection",
        arguments: [
            ("nonsense\r\n", 400), (post(99_999_999), 413), ("GET / HTTP/2.0\r\n\r\n", 505),
            (post(5, fields: "Transfer-Encoding: chunked\r\n"), 400),
        ])
    func refused(text: String, status: Int) {
        var bench = Bench()
        #expect(bench.receive(text) == ["refuse \(status)"])
        #expect(bench.linger() == "endAfterFlush")
        #expect(bench.receive(Self.get) == ["wait"])
        #expect(bench.reply() == "no reply")
        #expect(bench.passDeadline() == "close")
    }

    @Test("A refusal in the middle of a streamed reply breaks the connection off")
    func refusedWhileStreaming() throws {
        var bench = Bench()
        _ = bench.receive("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        _ = bench.machine.beginReply(isDraining: false)
        bench.machine.beginStream(ReplyStream(isChunked: false, left: 3))
        #expect(try bench.streamed(2) == false)
        #expect(throws: BodyError.tooLarge) { try bench.streamed(2) }
        #expect(bench.receive("x") == ["break off 400"])
        let isComplete = bench.machine.endStream()
        #expect(isComplete == nil)
        #expect(throws: BodyError.disconnected) { try bench.streamed(1) }
    }

    @Test("A streamed reply must reach its promised length")
    func streamLength() throws {
        var bench = Bench()
        for (written, isComplete) in [(3, true), (2, false)] {
            _ = bench.receive(Self.get)
            _ = bench.machine.beginReply(isDraining: false)
            bench.machine.beginStream(ReplyStream(isChunked: false, left: 3))
            _ = try bench.machine.streamed(written)
            let ended = bench.machine.endStream()
            #expect(ended == isComplete)
            _ = bench.machine.finishReply(keepsAlive: true, hasUnread: false, now: 0)
        }
    }

    @Test("Without unread input the connection closes after its last reply; otherwise the input is read on")
    func lastReply() {
        var bench = Bench()
        _ = bench.receive(Self.get)
        #expect(bench.reply(keepsAlive: false) == "closeAfterFlush")
        bench = Bench()
        _ = bench.receive(Self.get)
        #expect(bench.reply(keepsAlive: false, hasUnread: true) == "endAfterFlush")
    }

    @Test("The end of input closes an idle connection and cancels a running handler")
    func endOfInput() {
        var bench = Bench()
        #expect(bench.endOfInput() == "closeAfterFlush")
        bench = Bench()
        _ = bench.receive(Self.get)
        #expect(bench.endOfInput() == "cancel")
        #expect(bench.machine.hasSeenEnd && bench.machine.isServing)
    }

    @Test("A new connection has the time of a head, a kept one its idle time until a head begins")
    func headDeadlines() {
        var bench = Bench()
        #expect(bench.machine.nextDeadline == 10 * Bench.second)
        #expect(bench.receive("GET /") == ["wait 0"], "the time of the first head is running already")
        #expect(bench.passDeadline() == "refuse 408")

        bench = Bench()
        _ = bench.receive(Self.get)
        #expect(bench.machine.nextDeadline == .max)
        #expect(bench.reply() == "none")
        #expect(bench.becameIdle() == true)
        #expect(bench.machine.nextDeadline == 75 * Bench.second && bench.machine.isIdle)
        bench.now = Bench.second
        #expect(bench.receive("GET /") == ["setTimer 0"])
        #expect(bench.machine.nextDeadline == 11 * Bench.second && !bench.machine.isIdle)
        #expect(bench.becameIdle() == false)
        #expect(bench.passDeadline() == "refuse 408")

        bench = Bench()
        #expect(bench.passDeadline() == "close", "nothing has arrived")
    }

    @Test("A body that stalls is refused, and the clock stops while the handler holds it back")
    func bodyDeadline() {
        var bench = Bench()
        _ = bench.receive(Self.post(1_000_000))
        #expect(bench.machine.nextDeadline == 15 * Bench.second)
        _ = bench.receive(String(repeating: "b", count: IncomingBody.room))
        #expect(bench.machine.nextDeadline == .max)
        #expect(bench.bodyWasTaken(now: 100 * Bench.second) == true)
        #expect(bench.passDeadline() == "refuse 408")
    }

    @Test("A client that takes no byte of a reply in time is cut off; one that takes some is not")
    func writeDeadline() {
        var bench = Bench()
        _ = bench.receive(Self.get)
        _ = bench.reply()
        bench.machine.congested(sent: 5, now: 0)
        #expect(bench.becameIdle() == true)
        #expect(bench.machine.nextDeadline == 30 * Bench.second)
        #expect(bench.passDeadline(sent: 6, isDrained: false) == "setTimer")
        #expect(bench.passDeadline(sent: 6, isDrained: false) == "close")
    }

    @Test("A drain closes idle connections and waits a second for the first request of a new one")
    func drain() {
        var bench = Bench()
        #expect(bench.drain() == "setTimer")
        #expect(bench.machine.nextDeadline == ConnectionMachine.firstRequestGrace)
        _ = bench.receive(Self.get)
        #expect(bench.drain() == "none")
        let mayKeepAlive = bench.machine.beginReply(isDraining: true)
        #expect(mayKeepAlive == false)
        bench = Bench()
        _ = bench.receive(Self.get)
        _ = bench.reply()
        #expect(bench.receive(Self.get, outputIsFull: true) == ["wait 0"])
        #expect(bench.drain() == "none", "a request that is held back is served")
        bench = Bench()
        _ = bench.receive(Self.get)
        _ = bench.reply()
        #expect(bench.drain() == "closeAfterFlush")
    }
}
