import Contract
import Testing
import Wire

@testable import ServiceKit

@Suite("Profiles that are kept and asked for")
struct ProfileShelfTests {
    private var shelf = ProfileShelf(capacity: 100)
    private let one = UserID(1)
    private let two = UserID(2)

    private mutating func ask(_ users: UserID...) -> ProfileShelf.Question {
        shelf.ask(for: users) { _ in Task { [:] } }
    }

    @Test("Who is being asked for is waited for, until the question has ended")
    mutating func joined() {
        let question = ask(one)
        #expect(shelf.look(for: [one, two], oldest: 0).awaited == [question: [one]])
        #expect(shelf.look(for: [one, two], oldest: 0).missing == [two])
        shelf.end(question.number, for: [one])
        #expect(shelf.look(for: [one], oldest: 0).missing == [one])
    }

    @Test("An answer that was on its way when a change was told is not for those who come after")
    mutating func overtaken() {
        let first = ask(one)
        shelf.changed(one, version: 2)
        #expect(shelf.look(for: [one], oldest: 0).missing == [one])
        let second = ask(one)
        shelf.end(first.number, for: [one])
        #expect(shelf.look(for: [one], oldest: 0).awaited == [second: [one]])
        shelf.forgetFreshness(now: 5)
        #expect(shelf.look(for: [one], oldest: 0).missing == [one])
    }
}
