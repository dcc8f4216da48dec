import Wire

/// The names of the members of JSON objects, as docs/between-services.md writes them: `room`, `author.email`, `ids[]`,
/// `profiles[].nickname?`. A question mark marks a member that some of the objects lack.
struct MemberPaths {
    private var objects: [String: Int] = [:]
    private var members: [(path: String, parent: String)] = []
    private var counts: [String: Int] = [:]

    /// Adds the members of an object.
    mutating func add(_ json: JSONValue, at path: String = "") {
        guard let all = json.members else { return }
        objects[path, default: 0] += 1
        for (name, value) in all {
            let isList = value.kind == .array
            let member = (path.isEmpty ? "" : path + ".") + name + (isList ? "[]" : "")
            if counts[member] == nil { members.append((member, path)) }
            counts[member, default: 0] += 1
            // The events of a room and keys have tables or standards of their own.
            if member == "events[]" || member == "keys[]" { continue }
            if isList { value.elements?.forEach { add($0, at: member) } }
            if value.kind == .object { add(value, at: member) }
        }
    }

    /// The names in the order in which they were first met.
    var text: String {
        let names = members.filter { member in !members.contains { $0.parent == member.path } }.map { path, parent in
            "`" + path + ((counts[path] ?? 0) < (objects[parent] ?? 0) ? "?" : "") + "`"
        }
        return names.joined(separator: ", ")
    }
}
