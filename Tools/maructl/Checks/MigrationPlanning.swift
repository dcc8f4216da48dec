import Glibc
import Wire

/// Asks the programs for their migrations, and the running services for those of their schemas.
struct MigrationPlanning: Sendable {
    let client: OperatorClient

    func plan(isJSON: Bool) async throws -> Performer.Outcome {
        var plan = MigrationPlan()
        for service in ServiceName.allCases {
            let schema = try await client.get(service, "/operator/migrations")
            plan.add(service.rawValue, program: try migrations(of: service), schema: schema)
        }
        let json = plan
        return Performer.Outcome(
            status: .done,
            lines: isJSON ? [String(decoding: JSONWriter.bytes { $0.value(json) }, as: UTF8.self)] : plan.lines)
    }

    private func migrations(of service: ServiceName) throws -> JSONValue {
        let program = "\(folder)/\(service.rawValue)"
        guard access(program, X_OK) == 0 else {
            throw Performer.Refusal(status: .usage, reason: "\(program) does not exist: set programs_folder")
        }
        // No path has a quote: it comes from the settings or from the kernel.
        guard !program.contains("'"), let pipe = popen("exec '\(program)' --print-migrations", "r") else {
            throw Performer.Refusal(status: .failed, reason: "\(program) cannot be run")
        }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while case let count = fread(&chunk, 1, chunk.count, pipe), count > 0 { bytes += chunk[..<count] }
        guard pclose(pipe) == 0, let json = try? JSONValue(parsing: bytes) else {
            throw Performer.Refusal(status: .failed, reason: "\(program) does not know --print-migrations")
        }
        return json
    }

    /// The folder of the programs: that of maructl unless the settings say otherwise.
    private var folder: String {
        guard client.settings.programsFolder.isEmpty else { return client.settings.programsFolder }
        var path = [CChar](repeating: 0, count: 4096)
        let length = max(0, readlink("/proc/self/exe", &path, path.count - 1))
        let own = String(decoding: path.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return own.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
    }
}
