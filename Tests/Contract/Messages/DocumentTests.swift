import Foundation
import HTTP
import Testing
import Wire

@testable import Contract

@Suite("The page about messages between services")
struct DocumentTests {
    @Test("The tables of docs/between-services.md name every message and its members, and no others")
    func tables() throws {
        let page = try String(
            contentsOf: ContractSources.repository.appending(path: "docs/between-services.md"), encoding: .utf8)
        for (section, rows) in [
            ("Internal calls", try Self.calls()), ("Facts", try Self.facts()), ("Hints", try Self.hints()),
            ("Room events", try Self.events()),
        ] {
            let known = Set(rows)
            let written = Self.rows(of: section, in: page, cells: rows.first?.count ?? 0)
            #expect(Set(written).count == written.count, "\(section): a row is there twice")
            for row in known.subtracting(written) {
                Issue.record("\(section): missing | \(row.joined(separator: " | ")) |")
            }
            for row in Set(written).subtracting(known) {
                Issue.record("\(section): unknown | \(row.joined(separator: " | ")) |")
            }
        }
    }

    /// The first cells of the table rows below a heading, down to the next heading of the same level. A row of messages
    /// begins with a code span.
    private static func rows(of section: String, in page: String, cells: Int) -> [[String]] {
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        guard let start = lines.firstIndex(where: { $0 == "## " + section || $0 == "### " + section })
        else { return [] }
        let level = lines[start].prefix { $0 == "#" } + " "
        return lines[(start + 1)...].prefix { !$0.hasPrefix(level) }.filter { $0.hasPrefix("| `") }.map { line in
            let all = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst()
            return all.prefix(cells).map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    // MARK: The types

    private static func calls() throws -> [[String]] {
        var order: [String] = []
        var rows: [String: (queries: [[String]], body: MemberPaths, reply: String)] = [:]
        for request in Samples.requests {
            let route = type(of: request).route
            let name = "`\(route.method.rawValue) \(route.template)`"
            if rows[name] == nil {
                order.append(name)
                rows[name] = ([], MemberPaths(), try reply(to: request))
            }
            let call = request.written
            rows[name]?.queries.append(call.queryNames)
            if !call.body.isEmpty { rows[name]?.body.add(try JSONValue(parsing: call.body)) }
        }
        return order.compactMap { name in
            guard let row = rows[name] else { return nil }
            let queries = row.queries.max { $0.count < $1.count } ?? []
            let query = queries.map { query in
                "`" + query + (row.queries.allSatisfy { $0.contains(query) } ? "" : "?") + "`"
            }
            return [name, query.joined(separator: ", "), row.body.text, row.reply]
        }
    }

    private static func reply<Request: InternalRequest>(to request: Request) throws -> String {
        var members = MemberPaths()
        for value in Samples.values where value is Request.Reply {
            members.add(try JSONValue(parsing: value.encoded()))
        }
        return members.text
    }

    private static func facts() throws -> [[String]] {
        try Samples.facts.map { fact in
            var members = MemberPaths()
            members.add(try JSONValue(parsing: fact.encodedBody()))
            return ["`\(type(of: fact).stream)`", "`\(typeName(of: fact))`", members.text]
        }
    }

    private static func typeName<F: Fact>(of fact: F) -> String { fact.name.rawValue }

    private static func hints() throws -> [[String]] {
        var channels: [String: MemberPaths] = [:]
        for hint in Samples.hints {
            channels[type(of: hint).redisChannel, default: MemberPaths()].add(try JSONValue(parsing: hint.encoded()))
        }
        return channels.map { ["`\($0)`", $1.text] }
    }

    private static func events() throws -> [[String]] {
        var types: [String: MemberPaths] = [:]
        for event in Samples.events {
            let json = try JSONValue(parsing: event.encoded())
            types[json.string("type") ?? "", default: MemberPaths()].add(json)
        }
        return types.map { ["`\($0)`", $1.text] }
    }
}
