import Testing
import Wire

@Suite("Reading JSON")
struct JSONValueTests {
    @Test("Absent, null and mistyped members are distinguished")
    func members() throws {
        let json = try JSONValue(parsing: #" {"email":"a@b.c", "phone" : null,"n":1,"a":"x","list":[1,[2],{"k":3}]} "#)
        #expect(json["email"]?.string == "a@b.c")
        #expect(json["phone"]?.isNull == true)
        #expect(json["phone"]?.string == nil)
        #expect(json["absent"] == nil)
        #expect(json["a"]?.string == "x")
        #expect(json["n"]?.string == nil)
        #expect(json["n"]?.int == 1)
        #expect(json["list"]?[1]?[0]?.int == 2)
        #expect(json["list"]?[2]?["k"]?.int == 3)
        #expect(json["list"]?[3] == nil)
        #expect(json["list"]?[-1] == nil)
        #expect(json["list"]?["k"] == nil)
        #expect(json[0] == nil)
        #expect(json["list"]?.elements?.map(\.kind) == [.number, .array, .object])
        #expect(json.members?.map(\.name) == ["email", "phone", "n", "a", "list"])
        #expect(json[named: "n"]?.int == 1)
    }

    @Test("Of members with one name the last counts, even if it is escaped")
    func duplicates() throws {
        let json = try JSONValue(parsing: #"{"a":1,"b":{"a":9},"\u0061":2,"c":3}"#)
        #expect(json["a"]?.int == 2)
        #expect(json.members?.count { $0.name == "a" } == 2)
    }

    @Test("A name that differs in any one byte is another name", arguments: 1...40)
    func names(length: Int) throws {
        let name = String((0..<length).map { Character(Unicode.Scalar(UInt8(97 + $0 % 26))) })
        let body = try JSONValue(parsing: #"{"\#(name)":1}"#)
        #expect(body[named: name]?.int == 1)
        for offset in 0..<length {
            var other = Array(name.utf8)
            other[offset] ^= 1
            #expect(body[named: String(decoding: other, as: UTF8.self)] == nil)
        }
    }

    @Test("A text with more values than its length suggests is read whole", arguments: [0, 1, 7, 8, 9, 100, 10_000])
    func manyValues(count: Int) throws {
        let text = "[" + Array(repeating: "{\"a\":[1]}", count: count).joined(separator: ",") + "]"
        let json = try JSONValue(parsing: text)
        #expect(json.elements?.underestimatedCount == count)
        #expect(json.array { $0["a"]?[0]?.int } == Array(repeating: 1, count: count))
    }
}
