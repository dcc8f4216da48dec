extension PostgresError {
    /// The server's error in a failed result.
    init(_ result: PostgresResult) {
        let state = result.field("C") ?? ""
        self.init(
            Self.kind(ofState: state),
            sqlState: state,
            message: Self.isSafeToQuote(state) ? result.field("M") ?? "" : "",
            constraint: result.field("n"),
            table: result.field("t")
        )
    }

    /// A session that the server ended counts as a lost connection, and a statement time-out as a time-out.
    private static func kind(ofState state: String) -> Kind {
        switch state {
        case "57P01", "57P02", "57P03", "57P05", "25P03": .connectionLost
        case "57014": .timeout
        default: state.hasPrefix("08") ? .connectionLost : .server
        }
    }

    /// The error classes with messages that name only parts of the SQL text and the catalogue. Messages about data, and those
    /// that SQL functions raise, may quote stored or sent values.
    private static func isSafeToQuote(_ state: String) -> Bool { safeClasses.contains(String(state.prefix(2))) }

    private static let safeClasses: Set<String> = [
        "08", "0A", "25", "26", "28", "34", "3D", "3F", "40", "42", "53", "54", "55", "57", "58", "XX",
    ]
}
