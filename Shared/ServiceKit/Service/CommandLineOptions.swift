internal import Contract
internal import Glibc

/// The command line of a service.
enum CommandLineOptions {
    /// Reads the settings. An option or command other than `--config` is carried out, and the process exits.
    static func config(
        of name: String, _ entries: [ConfigEntry], _ commands: [OperatorCommand] = [], reference: ServiceReference
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
            let config = try Config(entries, file: file, environment: environmentVariables())
            if onlyChecks { exit(0) }
            command?.main(config)
            return config
        } catch {
            fail("\(name): \(error)")
        }
    }

    private static func usage(_ name: String, _ commands: [OperatorCommand]) -> String {
        """
        usage: \(name) [--config FILE] [--check-config]
               \(name) --print-config | --print-reference | --version | --help
        \(commands.map { "       \(name) [--config FILE] \($0.name)   \($0.doc)\n" }.joined())\
        Settings are lines `key = value` in FILE and variables MARU_KEY in the environment; the environment wins.
        """
    }

    static func fail(_ reason: String) -> Never {
        let line = reason + "\n"
        _ = write(STDERR_FILENO, line, line.utf8.count)
        exit(2)
    }

    private static func environmentVariables() -> [String: String] {
        var variables: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let text = String(cString: entry)
            if let equals = text.firstIndex(of: "=") {
                variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
            }
            next += 1
        }
        return variables
    }
}

extension Config {
    /// The number of loops: one per core unless the settings say otherwise.
    var loopCount: Int {
        let wanted = self[CommonSettings.loops]
        return wanted > 0 ? wanted : max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    }
}
