import Testing

@testable import payment_service

@Suite("Catalogue and orders")
struct CatalogueTests {
    @Test("A catalogue survives a round trip through its text, in order")
    func roundTrip() {
        let text = "10 Coin=100:10, 50 Coin=500:50, 100 Coin=1000:100"
        let catalogue = Catalogue(text: text)
        #expect(catalogue?.items.map(\.name) == ["10 Coin", "50 Coin", "100 Coin"])
        #expect(catalogue?[name: "50 Coin"] == Catalogue.Item(name: "50 Coin", price: 500, coins: 50))
        #expect(catalogue?[name: "50 coin"] == nil)
        #expect(catalogue?.text == text)
    }

    @Test("A name may contain an equals sign")
    func equalsSign() {
        #expect(Catalogue(text: "1+1=2=10:2")?.items.map(\.name) == ["1+1=2"])
    }

    @Test(
        "A malformed catalogue is refused",
        arguments: [
            "", " ", "10 Coin", "10 Coin=100", "10 Coin=100:", "=100:10", "a=0:10", "a=10:0", "a=-1:10", "a=1:1,",
            "a=1:1,a=2:2", "a=1:1:1", "a=1.5:1", "a=1000000001:1", "a=1:99999999999999999999",
        ])
    func refused(text: String) {
        #expect(Catalogue(text: text) == nil)
    }

    @Test(
        "An order number belongs to the API key that it contains",
        arguments: [
            ("ios_sooda_1700000000", "sooda", true), ("and_sooda_1", "sooda", true),
            ("ios_a_b_1700000000", "a_b", true), ("ios_a_b_1700000000", "b", false),
            ("ios_sooda_1700000000", "collatalk", false), ("ios_sooda_", "sooda", false),
            ("ios_sooda_17x", "sooda", false), ("sooda_1700000000", "sooda", false), ("_sooda_1", "sooda", false),
            ("ios__1", "", true), ("", "", false), ("ios_sooda_-1", "sooda", false), ("ios_sooda_１", "sooda", false),
        ])
    func orders(text: String, key: String, isOurs: Bool) {
        #expect(OrderNumber(text: text).isOf(key: key) == isOurs)
    }

    @Test("An order number that is too long is not valid")
    func longOrder() {
        #expect(!OrderNumber(text: "ios_sooda_" + String(repeating: "1", count: 200)).isOf(key: "sooda"))
    }
}
