import Testing

@testable import chat_service

@Suite("Load of commits")
struct CommitLoadTests {
    @Test("The time with a commit under way counts once, however many are")
    func overlapping() {
        let load = CommitLoad(at: 100)
        load.begin(at: 110)
        load.begin(at: 120)
        load.end(of: 1, at: 130)
        load.end(of: 1, at: 150)
        #expect(load.take(at: 200).busy == 0.4)
    }

    @Test("Each answer is for the time since the last one, with commits that go on")
    func intervals() {
        let load = CommitLoad(at: 0)
        load.begin(at: 50)
        #expect(load.take(at: 100).busy == 0.5)
        #expect(load.take(at: 200).busy == 1)
        load.end(of: 1, at: 225)
        #expect(load.take(at: 300).busy == 0.25)
        #expect(load.take(at: 400).busy == 0)
        #expect(load.take(at: 400).busy == 0, "no time has passed")
    }

    @Test("The messages of the commits that have ended are averaged")
    func messages() {
        let load = CommitLoad(at: 0)
        for messages in [10, 40] {
            load.begin(at: 10)
            load.end(of: messages, at: 20)
        }
        load.begin(at: 30)
        #expect(load.take(at: 100).messages == 25)
        #expect(load.take(at: 200).messages == 0)
    }
}
