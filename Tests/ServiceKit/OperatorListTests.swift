import Testing

@testable import ServiceKit

@Suite("The file of operators")
struct OperatorListTests {
    private static let digest = String(repeating: "ab", count: 32)

    @Test("A line has a name, a role, a digest and a day, and the text comes back")
    func lines() {
        let list = OperatorList("# people\n\nanna operator \(Self.digest) 2026-11-26\n  ben viewer \(Self.digest)\n")
        #expect(list["anna"] == .init(name: "anna", role: .operator, digest: Self.digest, day: "2026-11-26"))
        #expect(list["ben"]?.role == .viewer && list["ben"]?.day == "" && list.unreadable.isEmpty)
        #expect(list.text == "anna operator \(Self.digest) 2026-11-26\nben viewer \(Self.digest)\n")
        #expect(OperatorList(list.text) == list)
    }

    @Test(
        "A line that cannot be read lets nobody in, and its number is known",
        arguments: [
            "anna", "anna operator", "anna operator abcd", "anna king DIGEST", "an/na operator DIGEST",
            "anna operator DIGEST 2026-11-26 more", "anna removed DIGEST", "anna viewer -", "ben operator DIGEST",
        ])
    func unreadable(line: String) {
        let text = "ben viewer \(Self.digest)\n" + line.replacing("DIGEST", with: Self.digest)
        let list = OperatorList(text)
        #expect(list.entries.map(\.name) == ["ben"] && list.unreadable == [2])
    }

    @Test("A credential belongs to one operator; a removed or short one is refused")
    func holders() {
        let (one, other) = (OperatorList.makeCredential(), OperatorList.makeCredential())
        #expect(one.text.count == 43 && one.text != other.text)
        var list = OperatorList("anna operator \(one.digest)\nben viewer \(other.digest)")
        #expect(list.holder(of: one.text.utf8.span)?.name == "anna")
        #expect(list.holder(of: other.text.utf8.span)?.name == "ben")
        for wrong in ["", one.text + "x", String(one.text.dropLast()), one.digest] {
            #expect(list.holder(of: wrong.utf8.span) == nil)
        }
        list.set(.init(name: "anna", role: .removed, digest: "-", day: ""))
        #expect(list.holder(of: one.text.utf8.span) == nil && list["anna"]?.role == .removed)
        // The SHA-256 of "short".
        let short = "f9b0078b5df596d2ea19010c001bbd009e651de2c57e8fb7e355f31eb9d3f739"
        #expect(OperatorList("cara operator \(short)").holder(of: "short".utf8.span) == nil)
    }
}
