import Wire

/// The migrations that programs would run on the schemas as they are. It does no I/O.
struct MigrationPlan: Sendable, Equatable {
    /// A migration that a schema lacks.
    struct Step: Sendable, Equatable {
        let service: String
        let number: Int
        let name: String
        /// `online`, `locks` or `rewrites`.
        let impact: String
    }

    var steps: [Step] = []

    /// Adds the migrations of a program that are not among those of its schema.
    ///
    /// - Parameters:
    ///   - program: the list that `--print-migrations` prints.
    ///   - schema: the reply about the applied ones.
    mutating func add(_ service: String, program: JSONValue, schema: JSONValue) {
        // A gateway without push has no tables.
        guard schema.string("schema") != "" else { return }
        let applied = Set(schema["applied"]?.elements?.compactMap { $0.int("number") } ?? [])
        for migration in program.elements.map(Array.init) ?? [] {
            guard let number = migration.int("number"), !applied.contains(number) else { continue }
            steps.append(
                Step(
                    service: service, number: number, name: migration.string("name") ?? "",
                    impact: migration.string("impact") ?? ""))
        }
    }

    var lines: [String] {
        if steps.isEmpty { return ["no migration would run"] }
        let rows = steps.map { step in
            [step.service, String(step.number), step.name, step.impact, Self.meaning[step.impact] ?? ""]
        }
        return Table(columns: ["service", "number", "name", "impact", "meaning"], rows: rows).lines
    }

    private static let meaning = [
        "online": "reads and writes go on", "locks": "writes of a table wait for a scan, an index or a change of rows",
        "rewrites": "a table is written anew; nobody uses it meanwhile",
    ]
}

extension MigrationPlan: JSONWritable {
    func write(to json: inout JSONWriter) {
        json.array { json in
            for step in steps {
                json.object { json in
                    json.field("service", step.service)
                    json.field("number", step.number)
                    json.field("name", step.name)
                    json.field("impact", step.impact)
                }
            }
        }
    }
}
