/// The help of maructl.
enum Help {
    /// The commands that begin with `words`, one a line, and for all of them the options of every command.
    static func text(_ words: [String], _ commands: [Command]) -> String {
        let shown = commands.filter { $0.words.starts(with: words) || words.starts(with: $0.words) }
        guard !shown.isEmpty else { return text([], commands) }
        var lines = ["usage: maructl [options] command", ""]
        let width = shown.map { $0.usage.count }.filter { $0 <= 44 }.max() ?? 0
        for command in shown {
            let usage = command.usage
            if usage.count > width {
                lines += ["  \(usage)", "  " + String(repeating: " ", count: width + 2) + command.doc]
            } else {
                lines.append("  \(usage)" + String(repeating: " ", count: width - usage.count + 2) + command.doc)
            }
            if shown.count == 1 { lines += command.options.map { "      --\($0.name)  \($0.doc)" } }
        }
        return (lines + ["", options]).joined(separator: "\n")
    }

    private static let options = """
        options:
          --json         prints replies as JSON
          --yes          does not ask before something is taken away
          --as NAME      your name for the audit log; by default that of your account on this machine
          --config FILE  settings as lines `key = value`; variables MARU_KEY win. deploy/maructl passes the right file
          --help, --version

        exit status: 0 done, 1 refused or something is wrong, 2 the command line or the settings are wrong, 3 not found,
        4 a service does not answer, 5 the credential is refused, 6 not confirmed
        """
}
