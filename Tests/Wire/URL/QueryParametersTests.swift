import Testing
import Wire

@Suite("Queries and forms")
struct QueryParametersTests {
    private func read(_ text: String) -> [String]? {
        QueryParameters(text)?.all.map { "\($0.name)=\($0.value)" }
    }

    @Test("Names and values are read in order and decoded")
    func reading() {
        #expect(
            read("cursor_date=2024-07-01T00%3A00%3A00.000Z&after=") == [
                "cursor_date=2024-07-01T00:00:00.000Z", "after=",
            ])
        #expect(read("keyword=%EB%A7%88%EB%A3%A8+a%2Bb") == ["keyword=마루 a+b"])
        #expect(read("") == [])
        #expect(read("a") == ["a="])
        #expect(read("=") == ["="])
        #expect(read("&&a=1&&b=2&") == ["a=1", "b=2"])
        #expect(read("a=b=c") == ["a=b=c"])
        #expect(read("a=1;b=2") == ["a=1;b=2"])
    }

    @Test("The first value of a name counts, and an absent value is distinguished from an empty one")
    func values() {
        let query = QueryParameters("a=1&a=2&userID=")
        #expect(query?["a"] == "1")
        #expect(query?["userID"] == "")
        #expect(query?["b"] == nil)
        #expect(query?.all.count == 3)
    }

    @Test("Malformed or too long queries are refused", arguments: ["a=%", "%zz=1", "a=1&b=%ff", "a=%E"])
    func refused(text: String) {
        #expect(QueryParameters(text) == nil)
    }

    @Test("The number of names is limited")
    func limit() {
        let text = Array(repeating: "a=1", count: 256).joined(separator: "&")
        #expect(QueryParameters(text)?.all.count == 256)
        #expect(QueryParameters(text + "&") != nil)
        #expect(QueryParameters(text + "&b") == nil)
        #expect(QueryParameters("a&b&c", limit: 2) == nil)
    }

    @Test("A written query is read back")
    func writing() {
        var query = QueryParameters()
        query.append("grant type", "a&b=c+d")
        query.append("빈", "")
        #expect(query.encoded() == "grant%20type=a%26b%3Dc%2Bd&%EB%B9%88=")
        #expect(query.encoded(as: .form) == "grant+type=a%26b%3Dc%2Bd&%EB%B9%88=")
        #expect(QueryParameters(query.encoded(as: .form))?["grant type"] == "a&b=c+d")
        #expect(QueryParameters(query.encoded())?["빈"] == "")
    }
}
