import Testing
import Wire

@testable import maructl

@Suite("The tables of maructl")
struct TableTests {
    @Test("Columns are as wide as their widest text, Hangul counts twice, and lines end without blanks")
    func widths() {
        let table = Table(columns: ["id", "name", "note"], rows: [["1", "민지", ""], ["12", "anna", "x"]])
        #expect(table.lines == ["ID  NAME  NOTE", "1   민지", "12  anna  x"])
    }

    @Test("Columns without any text are left out")
    func emptyColumns() {
        #expect(Table(columns: ["id", "slug"], rows: [["1", ""], ["2", ""]]).lines == ["ID", "1", "2"])
    }

    @Test("Names of users cannot control the terminal")
    func control() throws {
        let name = "a\u{1B}[2J\u{202E}b\nc\u{7F}"
        #expect(Table(columns: ["name"], rows: [[name]]).lines == ["NAME", "a·[2J·b·c·"])
        let record = Report.lines(
            try JSONValue(parsing: JSONWriter.bytes { $0.object { $0.field("nickname", name) } }), .record)
        #expect(record == ["nickname  a·[2J·b·c·"])
    }

    @Test("A record has a line for each member, and its lists of objects are tables")
    func records() throws {
        let json = try JSONValue(
            parsing:
                #"{"room":"channel-7","seq":3,"users":[{"user_id":"1","reason":"all"},{"user_id":"2","reason":"muted"}]}"#
        )
        #expect(
            Report.lines(json, .record) == [
                "room  channel-7", "seq   3", "", "users:", "  USER_ID  REASON", "  1        all", "  2        muted",
            ])
    }

    @Test("A list says that it is incomplete, also if it is empty")
    func incomplete() throws {
        func lines(_ text: String) throws -> [String] {
            Report.lines(try JSONValue(parsing: text), .list("items", columns: ["id"]))
        }
        let line = "incomplete: a part of the data is out of reach"
        #expect(try lines(#"{"items":[{"id":"1"}],"complete":false}"#) == ["ID", "1", line])
        #expect(try lines(#"{"items":[],"complete":false}"#) == ["none", line])
        #expect(try lines(#"{"items":[{"id":"1"}],"complete":true}"#) == ["ID", "1"])
    }

    @Test("An empty list says so, and so does an act without a reply")
    func nothing() throws {
        let json = try JSONValue(parsing: #"{"users":[]}"#)
        #expect(Report.lines(json, .list("users", columns: ["user_id"])) == ["none"])
        #expect(Report.lines(json, .done("closed")) == ["closed"])
        #expect(Report.lines(try JSONValue(parsing: "{}"), .record) == ["done"])
    }
}
