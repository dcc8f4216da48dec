import ServiceKit
import Testing

@Suite("The age of cached entries")
struct CacheAgeTests {
    @Test("Entries are fresh for their lifetime, and on a machine that is younger than that all of them are")
    func oldest() {
        #expect(CacheAge.oldest(600, at: 1000) == 400)
        #expect(CacheAge.oldest(600, at: 600) == 0)
        #expect(CacheAge.oldest(600, at: 10) == 0)
    }
}
