import Testing

@testable import chat_service

@Suite("Pauses of an erasure")
struct ErasurePacerTests {
    @Test("A slower batch is followed by a longer pause, and a hundred thousand messages still go within their minute")
    func pauses() {
        let pacer = ErasurePacer()
        #expect(pacer.pause(after: .milliseconds(1)) == pacer.shortest)
        let middle = Duration.milliseconds(12)
        #expect(pacer.pause(after: middle) == middle * pacer.ratio)
        #expect(pacer.pause(after: .seconds(9)) == pacer.longest)
        #expect(pacer.longest * (100_000 / UserErasure.batchSize) <= .seconds(45))
    }
}
