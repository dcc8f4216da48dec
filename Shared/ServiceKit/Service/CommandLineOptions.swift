internal import Contract
internal import Glibc
internal import Postgres
internal import Wire

/// The command line of a service.
enum CommandLineOptions {
    /// Reads the settings. An option or command other than `--config` is carried out, and the process exits.
    static func config(
        of name: String, _ entries: [ConfigEntry], _ commands: [OperatorCommand], _ migrations: [Migration],
        reference: ServiceReference
    ) -> Config {
        var arguments = CommandLine.arguments.dropFirst()
        var file = ""
        var onlyChecks = false
        var command: OperatorCommand?
        while let argument = arguments.popFirst() {
            switch argument {
            case "--config":
                guard let path = arguments.popFirst() else { fail("--config needs a file") }
                guard let text = Config.textOfFile(path) else { fail("cannot read \(path)") }
                file = text
            case "--print-config":
                print(Config.template(of: entries), terminator: "")
                exit(0)
            case "--print-reference":
                print(reference.text)
                exit(0)
            case "--check-config": onlyChecks = true
            case "--print-migrations":
                print(String(decoding: list(migrations), as: UTF8.self))
                exit(0)
            case "--version":
                print("\(name) \(Build.version)")
                exit(0)
            case "--help":
                print(usage(name, commands))
                exit(0)
            default:
                command = commands.first { $0.name == argument }
                if command == nil { fail("unknown option \(argument)\n\(usage(name, commands))") }
            }
        }
        do {
            let config = try Config(entries, file: file, environment: Config.environmentVariables())
            if onlyChecks { exit(0) }
            command?.main(config)
            return config
        } catch {
            fail("\(name): \(error)")
        }
    }

    /// The migrations of the program and the statements that each holds up, as JSON.
    private static func list(_ migrations: [Migration]) -> [UInt8] {
        JSONWriter.bytes(capacity: 4096) { json in
            json.array { json in
                for migration in migrations {
                    json.object { json in
                        json.field("number", migration.number)
                        json.field("name", migration.name)
                        let impact = MigrationImpact(of: String(decoding: migration.sql, as: UTF8.self))
                        json.field("impact", impact.rawValue)
                    }
                }
            }
        }
    }

    private static func usage(_ name: String, _ commands: [OperatorCommand]) -> String {
        """
        usage: \(name) [--config FILE] [--check-config]
               \(name) --print-config | --print-migrations | --print-reference | --version | --help
        \(commands.map { "       \(name) [--config FILE] \($0.name)   \($0.doc)\n" }.joined())\
        Settings are lines `key = value` in FILE and variables MARU_KEY in the environment; the environment wins.
        """
    }

    static func fail(_ reason: String) -> Never {
        let line = reason + "\n"
        _ = write(STDERR_FILENO, line, line.utf8.count)
        exit(2)
    }
}

extension Config {
    /// The number of loops: one per core unless the settings say otherwise.
    var loopCount: Int {
        let wanted = self[CommonSettings.loops]
        return wanted > 0 ? wanted : max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    }
}
