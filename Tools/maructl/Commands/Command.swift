/// One command of maructl: its words, its arguments and its action.
struct Command: Sendable {
    /// A value that the command line gives, in its place.
    struct Argument: Sendable, Equatable {
        /// The accepted texts.
        enum Kind: Sendable, Equatable {
            /// A number from 1.
            case id
            /// The id of a user, or the address of their account.
            case user
            /// The name of an operator.
            case operatorName
            case text
            /// One of these words.
            case choice([String])
        }

        let name: String
        let kind: Kind

        init(_ name: String, _ kind: Kind = .id) {
            self.name = name
            self.kind = kind
        }
    }

    /// A value that the command line may give by name, such as `--role admin`.
    struct Option: Sendable, Equatable {
        let name: String
        let kind: Argument.Kind
        let doc: String

        init(_ name: String, _ kind: Argument.Kind = .text, _ doc: String) {
            self.name = name
            self.kind = kind
            self.doc = doc
        }
    }

    /// The work of the command.
    enum Action: Sendable, Equatable {
        /// Makes one call of one service.
        case call(CallTemplate)
        /// Makes the same call of every service, and joins the lists.
        case everywhere(path: String, list: String, columns: [String])
        case doctor
        /// Computes the machines for a demand, without an instance.
        case capacity
        case migrationPlan
        /// Runs a script of deploy/ with the rest of the command line.
        case script(String)
        /// Orders an export and waits for its link.
        case export
        /// Reads or changes the operators with a credential of their own.
        case operators(OperatorChange?)
    }

    let words: [String]
    let arguments: [Argument]
    let options: [Option]
    let doc: String
    /// The harm that it does, in words, with `{name}` for the value of an argument; nil for a command that does no harm.
    let harm: String?
    let action: Action

    init(
        _ words: String, _ arguments: [Argument] = [], options: [Option] = [], _ doc: String, harm: String? = nil,
        _ action: Action
    ) {
        self.words = words.split(separator: " ").map(String.init)
        self.arguments = arguments
        self.options = options
        self.doc = doc
        self.harm = harm
        self.action = action
    }

    /// Whether the rest of the command line belongs to the script that it runs.
    var takesRest: Bool { if case .script = action { true } else { false } }

    /// The command as the help shows it, such as `users show USER`.
    var usage: String {
        let values = arguments.map { argument in
            if case .choice(let words) = argument.kind {
                words.joined(separator: "|")
            } else {
                argument.name.uppercased()
            }
        }
        let named = options.map { "[--\($0.name) \($0.name.uppercased())]" }
        return (words + values + named + (takesRest ? ["…"] : [])).joined(separator: " ")
    }
}
