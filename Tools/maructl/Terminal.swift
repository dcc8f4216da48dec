import Glibc

/// The standard streams of the process.
enum Terminal {
    static func print(_ lines: [String]) { write(lines, to: STDOUT_FILENO) }

    static func complain(_ line: String) { write(["maructl: " + line], to: STDERR_FILENO) }

    private static func write(_ lines: [String], to descriptor: Int32) {
        var bytes = Array(lines.map { $0 + "\n" }.joined().utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }

    /// Whether somebody can answer a question.
    static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 }

    /// Asks on the standard error and returns the answer.
    static func ask(_ question: String) -> String {
        _ = Array(question.utf8).withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
        return readLine() ?? ""
    }

    /// The name of the user of this machine.
    static func userName(_ environment: [String: String]) -> String {
        for name in ["MARUCTL_OPERATOR", "SUDO_USER", "USER", "LOGNAME"] {
            if let value = environment[name], !value.isEmpty { return value }
        }
        return "uid-\(getuid())"
    }
}
