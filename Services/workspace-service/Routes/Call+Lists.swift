import Contract
import HTTP
import ServiceKit
import Wire

extension Call {
    /// The number of items that a page of a list has at most.
    func listLimit() throws(Failure) -> Int { try number("limit", in: 1...200) ?? 50 }

    /// The cursor of a list that is ordered by one number; nil for the first page.
    func numericCursor() throws(Failure) -> Int64? {
        guard let text = try query("cursor"), !text.isEmpty else { return nil }
        guard let number = Int64(text), number >= 0 else { throw .invalid("cursor is not valid.") }
        return number
    }

    /// The cursor of a list that is ordered by a time and an id; nil for the first page.
    func placeCursor() throws(Failure) -> (moment: Int64, id: Int64)? {
        guard let cursor = try query("cursor"), !cursor.isEmpty else { return nil }
        let parts = cursor.split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
        guard parts.count == 2, let moment = parts[0], let id = parts[1] else {
            throw .invalid("cursor is not valid.")
        }
        return (moment, id)
    }

    /// A query parameter that is an id; nil if it is missing or empty.
    func optionalID<Subject>(_ name: String) throws(Failure) -> ID<Subject>? {
        guard let text = try query(name), !text.isEmpty else { return nil }
        guard let id = ID<Subject>(text) else { throw .invalid("\(name) must be an id.") }
        return id
    }

    /// A query parameter that is a time in UTC; nil if it is missing or empty.
    func optionalTime(_ name: String) throws(Failure) -> Timestamp? {
        guard let text = try query(name), !text.isEmpty else { return nil }
        guard let time = Timestamp(text) else { throw .invalid("\(name) must be a time.") }
        return time
    }

    /// A reply with a page of a list. `next` is the cursor of the next page; nil on the last one.
    func page<Item>(
        _ items: [Item], next: String?, _ write: (Item, inout JSONWriter) -> Void
    ) -> Response {
        reply { json in
            json.object { json in
                json.array("items") { json in for item in items { write(item, &json) } }
                json.field("next", next)
            }
        }
    }
}
