public import Wire

/// A service's data about a user, read page by page as auth-service does.
public struct ExportedRecords: Sendable {
    /// The records by their section.
    public private(set) var sections: [String: [JSONValue]] = [:]
    /// The names of files in the file store.
    public private(set) var files: [String] = []
    public private(set) var pages = 0

    /// - Parameter ask: makes an internal call with GET.
    public init(of user: String, _ ask: (_ target: String) async throws -> JSONValue) async throws {
        var cursor: String?
        repeat {
            let query = cursor.map { "?cursor=\(PercentEncoding.strict.encode($0))" } ?? ""
            let page = try await ask("/internal/users/\(user)/export\(query)")
            for section in page["sections"]?.elements.map(Array.init) ?? [] {
                guard let name = section["name"]?.string, let records = section["records"]?.elements else { continue }
                sections[name, default: []] += records
            }
            files += page["files"]?.elements?.compactMap(\.string) ?? []
            cursor = page["next"]?.string
            pages += 1
        } while cursor != nil
    }

    /// The texts of a member of a section's records.
    public func texts(_ section: String, _ member: String) -> [String] {
        sections[section, default: []].compactMap { $0[named: member]?.string }
    }
}
