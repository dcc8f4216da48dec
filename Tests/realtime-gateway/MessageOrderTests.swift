import Contract
import Testing
import Wire

@testable import realtime_gateway

@Suite("Message order")
struct MessageOrderTests {
    private static let author = MemberView(id: UserID(1), email: "a@b.kr", nickname: "a", profileImage: nil)

    private func message(_ seq: Int64) -> RoomMessage {
        RoomMessage(
            room: RoomID(ChannelID(7)), workspace: WorkspaceID(1), name: "c",
            body: MessageBody(
                id: ChatID(seq), seq: seq, content: "\(seq)", createdAt: .now, files: [], author: Self.author),
            session: SessionID(1))
    }

    private func delivered(_ actions: [MessageOrder.Action]) -> [Int64] {
        actions.compactMap { if case .deliver(let message) = $0 { message.body.seq } else { nil } }
    }

    private func asked(_ actions: [MessageOrder.Action]) -> [Int64] {
        actions.compactMap { if case .backfill(let after) = $0 { after } else { nil } }
    }

    @Test("Nothing is delivered before the head is known, and no message up to it")
    func start() {
        var order = MessageOrder()
        #expect(order.published(message(5)).isEmpty)
        #expect(order.published(message(6)).isEmpty)
        #expect(delivered(order.start(at: 5)) == [6])
        #expect(delivered(order.published(message(7))) == [7])
    }

    @Test("A repeated or late message is delivered once")
    func duplicates() {
        var order = MessageOrder()
        _ = order.start(at: 0)
        #expect(delivered(order.published(message(1))) == [1])
        #expect(order.published(message(1)).isEmpty)
        #expect(delivered(order.published(message(2))) == [2])
        #expect(order.published(message(1)).isEmpty)
    }

    @Test("A gap is backfilled once, and later messages wait for it")
    func gap() {
        var order = MessageOrder()
        _ = order.start(at: 1)
        #expect(asked(order.published(message(4))) == [1])
        #expect(order.published(message(5)).isEmpty)
        #expect(delivered(order.backfilled([message(2), message(3)], head: 5)) == [2, 3, 4, 5])
        #expect(delivered(order.published(message(6))) == [6])
    }

    @Test("A partial backfill is followed by another one")
    func pages() {
        var order = MessageOrder()
        _ = order.start(at: 0)
        #expect(asked(order.compared(head: 4)) == [0])
        let first = order.backfilled([message(1), message(2)], head: 4)
        #expect(delivered(first) == [1, 2])
        #expect(asked(first) == [2])
        #expect(delivered(order.backfilled([message(3), message(4)], head: 4)) == [3, 4])
        #expect(order.compared(head: 4).isEmpty)
    }

    @Test("A head that is heard of during a backfill is asked for, once, if the answer is older")
    func newsDuringBackfill() {
        var order = MessageOrder()
        _ = order.start(at: 8)
        #expect(asked(order.published(message(10))) == [8])
        #expect(order.compared(head: 12).isEmpty)
        let first = order.backfilled([message(9), message(10)], head: 10)
        #expect(delivered(first) == [9, 10] && asked(first) == [10])
        // chat-service has lost 12.
        let second = order.backfilled([message(11)], head: 11)
        #expect(delivered(second) == [11] && asked(second).isEmpty)
    }

    @Test("If only a part of a burst is kept, its end is fetched")
    func longBurst() {
        var order = MessageOrder()
        _ = order.start(at: 0)
        for seq in 2...2000 { _ = order.published(message(Int64(seq))) }
        let answer = order.backfilled([message(1)], head: 1)
        #expect(delivered(answer) == Array(1...1025) && asked(answer) == [1025])
    }

    @Test("Deleted messages are skipped")
    func trimmed() {
        var order = MessageOrder()
        _ = order.start(at: 0)
        #expect(asked(order.published(message(3))) == [0])
        #expect(delivered(order.backfilled([message(3)], head: 3)) == [3])
        #expect(order.last == 3)
    }

    @Test("A backfill says nothing about messages after its head")
    func oldAnswer() {
        var order = MessageOrder()
        _ = order.start(at: 0)
        #expect(asked(order.published(message(2))) == [0])
        #expect(delivered(order.published(message(1))) == [1, 2])
        #expect(order.published(message(4)).isEmpty)
        let actions = order.backfilled([message(1), message(2)], head: 2)
        #expect(delivered(actions) == [] && asked(actions) == [2])
        #expect(delivered(order.published(message(3))) == [3, 4])
        #expect(order.backfilled([message(3), message(4)], head: 4).isEmpty)
    }

    @Test("A failed backfill can be repeated")
    func failure() {
        var order = MessageOrder()
        _ = order.start(at: 0)
        #expect(asked(order.published(message(2))) == [0])
        order.backfillFailed()
        #expect(asked(order.compared(head: 2)) == [0])
    }

    @Test("A message that chat-service has lost is not asked for without end")
    func unknown() {
        var order = MessageOrder()
        _ = order.start(at: 10)
        #expect(asked(order.published(message(12))) == [10])
        #expect(order.backfilled([], head: 10).isEmpty)
        // The next that is heard is a reason to ask again.
        #expect(asked(order.published(message(13))) == [10])
        #expect(order.backfilled([], head: 10).isEmpty)
        #expect(delivered(order.published(message(11))) == [11, 12, 13])
    }

    @Test("Each message is delivered once and in order, for any order, loss and age of answers")
    func anyOrder() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            var order = MessageOrder()
            var out = delivered(order.start(at: 0))
            var head: Int64 = 0
            var onTheWay: [Int64] = []
            // An answer holds the messages of its time, and may come much later.
            var answer: (messages: [RoomMessage], head: Int64)?
            func perform(_ actions: [MessageOrder.Action]) {
                for action in actions {
                    switch action {
                    case .deliver(let message): out.append(message.body.seq)
                    case .backfill(let after):
                        #expect(answer == nil, "one question at a time")
                        let missing = after < head ? Array((after + 1)...head) : []
                        answer = (missing.prefix(7).map(message), head)
                    }
                }
            }
            func takeAnswer() {
                guard let taken = answer else { return }
                answer = nil
                perform(order.backfilled(taken.messages, head: taken.head))
            }
            while head < 40 || !onTheWay.isEmpty {
                switch Int.random(in: 0..<4, using: &random) {
                case 0 where head < 40:
                    head += 1
                    // Lost, heard, or heard twice.
                    for _ in 0..<[0, 1, 1, 1, 2].randomElement(using: &random)! { onTheWay.append(head) }
                case 1: takeAnswer()
                default:
                    guard let place = onTheWay.indices.randomElement(using: &random) else { continue }
                    perform(order.published(message(onTheWay.remove(at: place))))
                }
            }
            while answer != nil { takeAnswer() }
            perform(order.compared(head: head))
            while answer != nil { takeAnswer() }
            #expect(out == Array(1...40))
        }
    }
}
