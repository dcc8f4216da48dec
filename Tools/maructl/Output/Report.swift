import Wire

/// Makes text for people of replies. It does no I/O.
enum Report {
    /// The lines of a reply in a shape.
    static func lines(_ reply: JSONValue, _ shape: CallTemplate.Shape) -> [String] {
        switch shape {
        case .record: record(reply)
        case .done(let text): [text]
        case .list(let member, let columns): list(reply[named: member], columns) + omissions(reply)
        }
    }

    /// A line that says so if a service could not read all rows.
    private static func omissions(_ reply: JSONValue) -> [String] {
        reply.bool("complete") == false ? ["incomplete: a part of the data is out of reach"] : []
    }

    /// A table of the elements of a list; one line if there are none.
    static func list(_ list: JSONValue?, _ columns: [String]) -> [String] {
        let rows = list?.elements.map { elements in
            elements.map { element in columns.map { text(of: element[named: $0]) } }
        }
        guard let rows, !rows.isEmpty else { return ["none"] }
        return Table(columns: columns, rows: rows).lines
    }

    /// Each member in a line of its own; lists of objects are tables below their name.
    private static func record(_ reply: JSONValue) -> [String] {
        guard let members = reply.members.map(Array.init) else { return [text(of: reply)] }
        let flat = members.filter { !isTable($0.value) }
        let width = flat.map { Table.width(of: $0.name) }.max() ?? 0
        var lines = flat.map { name, value in
            name + String(repeating: " ", count: width - Table.width(of: name) + 2)
                + Table.printable(text(of: value))
        }
        for (name, value) in members where isTable(value) {
            var columns: [String] = []
            for element in value.elements.map(Array.init) ?? [] {
                for member in element.members.map(Array.init) ?? [] where !columns.contains(member.name) {
                    columns.append(member.name)
                }
            }
            lines += ["", name + ":"] + list(value, columns).map { "  " + $0 }
        }
        return lines.isEmpty ? ["done"] : lines
    }

    private static func isTable(_ value: JSONValue) -> Bool {
        guard value.kind == .array, let first = value.elements?.first(where: { _ in true }) else { return false }
        return first.kind == .object
    }

    /// A value in one line: texts as they are, everything else as JSON.
    static func text(of value: JSONValue?) -> String {
        guard let value, !value.isNull else { return "" }
        return value.string ?? String(decoding: value.text, as: UTF8.self)
    }
}
