import ServiceKit

/// A command with its values, as the command line gives them.
struct Invocation: Sendable {
    let command: Command
    /// The values of arguments and options by name.
    var values: [String: String] = [:]
    /// The words for a script.
    var rest: [String] = []
    var options = GlobalOptions()
}

/// The options that every command has.
struct GlobalOptions: Sendable, Equatable {
    /// Whether replies are printed as JSON.
    var isJSON = false
    /// Whether a destructive command does not ask.
    var isConfirmed = false
    /// The name of the operator for the audit log; nil for the name of the user of this machine.
    var operatorName: String?
    /// The file of settings; nil for none.
    var config: String?
}

/// The request of a command line.
enum Request: Sendable {
    case run(Invocation)
    /// The help of the commands that begin with these words; all without words.
    case help([String])
    case version
}

/// The reason why a command line is refused.
struct UsageError: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Reads command lines. It does no I/O.
struct CommandLineParser: Sendable {
    let commands: [Command]

    /// - Parameter words: the command line without the name of the program.
    func parse(_ words: [String]) throws(UsageError) -> Request {
        var (options, rest) = (GlobalOptions(), words[...])
        var given: [String] = []
        while let word = rest.first {
            if let command = command(given), command.takesRest {
                return .run(Invocation(command: command, rest: Array(rest), options: options))
            }
            rest.removeFirst()
            switch word {
            case "--help", "-h": return .help(given)
            case "--version": return .version
            case "--json": options.isJSON = true
            case "--yes": options.isConfirmed = true
            case "--as": options.operatorName = try Self.value(of: word, &rest)
            case "--config": options.config = try Self.value(of: word, &rest)
            case "--plan" where given == ["migrate"]: given.append("plan")
            default:
                given.append(word)
                // The values of options are not words of the command.
                if word.hasPrefix("--") { given.append(try Self.value(of: word, &rest)) }
            }
        }
        if given.isEmpty { return .help([]) }
        return .run(try invocation(given, options))
    }

    private static func value(of option: String, _ rest: inout ArraySlice<String>) throws(UsageError) -> String {
        guard let value = rest.popFirst(), !value.hasPrefix("--") else { throw UsageError("\(option) needs a value") }
        return value
    }

    /// The command with exactly these words.
    private func command(_ words: [String]) -> Command? { commands.first { $0.words == words } }

    private func invocation(_ words: [String], _ options: GlobalOptions) throws(UsageError) -> Invocation {
        let command = commands.filter { words.starts(with: $0.words) }.max { $0.words.count < $1.words.count }
        guard let command else {
            let known = commands.contains { $0.words.first == words.first }
            throw UsageError(
                known
                    ? "unknown command \(words.prefix(2).joined(separator: " ")); see maructl \(words[0]) --help"
                    : "unknown command \(words[0]); see maructl --help")
        }
        var invocation = Invocation(command: command, options: options)
        var (rest, missing) = (words.dropFirst(command.words.count), command.arguments[...])
        while let word = rest.popFirst() {
            if word.hasPrefix("--") {
                guard let option = command.options.first(where: { "--\($0.name)" == word }) else {
                    throw UsageError("\(command.words.joined(separator: " ")) has no option \(word)")
                }
                invocation.values[option.name] = try Self.checked(rest.popFirst() ?? "", option.kind, word)
            } else {
                guard let argument = missing.popFirst() else {
                    throw UsageError("\(word) is too much: \(command.usage)")
                }
                invocation.values[argument.name] = try Self.checked(
                    word, argument.kind, argument.name.uppercased())
            }
        }
        guard missing.isEmpty else { throw UsageError("usage: maructl \(command.usage)") }
        return invocation
    }

    private static func checked(
        _ text: String, _ kind: Command.Argument.Kind, _ name: String
    ) throws(UsageError) -> String {
        switch kind {
        case .id:
            guard let number = Int64(text), number > 0, text.allSatisfy(\.isNumber) else {
                throw UsageError("\(name) must be a number from 1, not \(text)")
            }
        case .user:
            let isID = text.allSatisfy(\.isNumber) && (Int64(text) ?? 0) > 0
            guard isID || text.contains("@") else {
                throw UsageError("\(name) must be the id or the address of a user, not \(text)")
            }
        case .operatorName:
            guard OperatorList.isName(text) else {
                throw UsageError(
                    "\(name) must be 1 to \(OperatorList.longestName) letters, digits and .@_-, not \(text)")
            }
        case .choice(let words):
            guard words.contains(text) else {
                throw UsageError("\(name) must be one of \(words.joined(separator: ", ")), not \(text)")
            }
        case .text:
            guard !text.isEmpty else { throw UsageError("\(name) is empty") }
        }
        return text
    }
}
