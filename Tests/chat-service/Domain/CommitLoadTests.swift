import Testing

@testable import chat_service

@Suite("Load of commits")
struct CommitLoadTests {
    @Test("The time with a commit under way counts once, however many are")
    func overlapping() {
        let load = CommitLoad(at: 100)
        load.begin(at: 110)
        load.begin(at: 120)
        load.end(at: 130)
        load.end(at: 150)
        #expect(load.take(at: 200) == 0.4)
    }

    @Test("Each answer is for the time since the last one, with commits that go on")
    func intervals() {
        let load = CommitLoad(at: 0)
        load.begin(at: 50)
        #expect(load.take(at: 100) == 0.5)
        #expect(load.take(at: 200) == 1)
        load.end(at: 225)
        #expect(load.take(at: 300) == 0.25)
        #expect(load.take(at: 400) == 0)
        #expect(load.take(at: 400) == 0, "no time has passed")
    }
}
