import ServiceKit
import Testing

@testable import maructl

@Suite("Changes of the operators")
struct OperatorChangeTests {
    @Test("An operator is added with a role, gets a new credential in the same role, and is removed; the name stays")
    func life() throws {
        var list = OperatorList()
        let first = try #require(try OperatorChange.add.change("anna", as: .viewer, in: &list, on: "2026-11-26"))
        let made = try #require(list["anna"])
        #expect(made.role == .viewer && made.day == "2026-11-26")
        let second = try #require(try OperatorChange.rotate.change("anna", as: .operator, in: &list, on: "2026-11-27"))
        let rotated = try #require(list["anna"])
        #expect(first != second && rotated.role == .viewer && rotated.digest != made.digest)
        #expect(try OperatorChange.remove.change("anna", as: .operator, in: &list, on: "2026-11-28") == nil)
        #expect(list.text == "anna removed - 2026-11-28\n")
        _ = try OperatorChange.add.change("anna", as: .operator, in: &list, on: "2026-11-29")
        #expect(list["anna"]?.role == .operator && list.entries.count == 1)
    }

    @Test(
        "A change that does not fit is refused, and the list stays",
        arguments: [
            (OperatorChange.add, "ben", "ben is an operator already; see operators rotate"),
            (.rotate, "cara", "no operator has the name cara"), (.remove, "cara", "no operator has the name cara"),
            (.rotate, "dan", "no operator has the name dan"),
        ])
    func refusals(change: OperatorChange, name: String, reason: String) {
        let before = OperatorList("ben viewer \(OperatorList.makeCredential().digest)\ndan removed -\n")
        var list = before
        #expect(throws: OperatorChange.Refusal(reason: reason)) {
            try change.change(name, as: .operator, in: &list, on: "")
        }
        #expect(list == before)
    }

    @Test("A file with a line that cannot be read is not changed, because the line would be lost")
    func unreadable() {
        var list = OperatorList("ben viewer nonsense\n")
        #expect(throws: OperatorChange.Refusal(reason: "line 1 of the file cannot be read: correct it first")) {
            try OperatorChange.add.change("anna", as: .operator, in: &list, on: "")
        }
    }
}
