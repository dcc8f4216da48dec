import Glibc
import HTTP
import ServiceKit
import Wire

/// Reads and changes `operators_file`. A change is an act in the audit log of operators.
struct Operators: Sendable {
    let client: OperatorClient

    func perform(_ change: OperatorChange?, _ values: [String: String], isJSON: Bool) async throws -> Performer.Outcome
    {
        let path = client.settings.operatorsFile
        guard !path.isEmpty else {
            throw Performer.Refusal(status: .usage, reason: "operators_file is not set: see docs/maructl.md")
        }
        guard let change else { return Self.outcome(Self.list(try Self.read(path)), "operators", isJSON: isJSON) }
        let name = values["name"] ?? ""
        // Refuse before the log has an entry, and read the file again under the lock.
        var list = try Self.read(path)
        let role = values["role"].flatMap(OperatorRole.init) ?? .operator
        do throws(OperatorChange.Refusal) { _ = try change.change(name, as: role, in: &list, on: Self.today) } catch {
            throw Performer.Refusal(status: change == .add ? .failed : .notFound, reason: error.reason)
        }
        let method: HTTP.Method =
            switch change {
            case .add: .put
            case .rotate: .post
            case .remove: .delete
            }
        _ = try await client.send(method, .workspace, "/operator/operators/\(CallTemplate.encoded(name))")
        let folder = try Self.lock(path)
        defer { close(folder) }
        list = try Self.read(path)
        let credential: String?
        do throws(OperatorChange.Refusal) {
            credential = try change.change(name, as: role, in: &list, on: Self.today)
        } catch {
            throw Performer.Refusal(status: .failed, reason: error.reason)
        }
        try Self.write(list.text, to: path)
        return Self.outcome(Self.record(list[name], credential), nil, isJSON: isJSON)
    }

    private static var today: String { String(Timestamp.now.description.prefix(10)) }

    // MARK: Output

    private static func outcome(_ json: [UInt8], _ list: String?, isJSON: Bool) -> Performer.Outcome {
        guard !isJSON, let reply = try? JSONValue(parsing: json) else {
            return Performer.Outcome(status: .done, lines: [String(decoding: json, as: UTF8.self)])
        }
        let shape: CallTemplate.Shape = list.map { .list($0, columns: ["name", "role", "since"]) } ?? .record
        return Performer.Outcome(status: .done, lines: Report.lines(reply, shape))
    }

    private static func list(_ list: OperatorList) -> [UInt8] {
        JSONWriter.bytes { json in
            json.object { json in
                json.array("operators") { json in
                    for entry in list.entries { json.object { write(entry, to: &$0) } }
                }
            }
        }
    }

    private static func record(_ entry: OperatorList.Entry?, _ credential: String?) -> [UInt8] {
        JSONWriter.bytes { json in
            json.object { json in
                if let entry { write(entry, to: &json) }
                if let credential { json.field("credential", credential) }
            }
        }
    }

    private static func write(_ entry: OperatorList.Entry, to json: inout JSONWriter) {
        json.field("name", entry.name)
        json.field("role", entry.role.rawValue)
        json.field("since", entry.day)
    }

    // MARK: The file

    /// The list; empty if there is no file yet.
    private static func read(_ path: String) throws -> OperatorList {
        guard access(path, F_OK) == 0 else { return OperatorList() }
        guard let text = Config.textOfFile(path) else { throw failure("cannot read \(path)") }
        return OperatorList(text)
    }

    /// Locks the folder of the file until the descriptor is closed: one change at a time.
    private static func lock(_ path: String) throws -> Int32 {
        let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        let descriptor = open(
            folder.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0, flock(descriptor, LOCK_EX) == 0 else {
            throw failure("cannot lock the folder of \(path)")
        }
        return descriptor
    }

    /// Replaces the file, so that the services never read half of it. All users may read it: it has digests of random credentials.
    private static func write(_ text: String, to path: String) throws {
        let new = path + ".new"
        guard let file = fopen(new, "w") else { throw failure("cannot write \(new)") }
        let isWritten =
            fputs(text, file) >= 0 && fflush(file) == 0 && fchmod(fileno(file), 0o644) == 0
            && fsync(fileno(file)) == 0
        fclose(file)
        guard isWritten, rename(new, path) == 0 else { throw failure("cannot write \(path)") }
    }

    private static func failure(_ what: String) -> Performer.Refusal {
        Performer.Refusal(status: .failed, reason: "\(what): \(String(cString: strerror(errno)))")
    }
}
