extension PostgresError {
    /// What the server said in a failed result.
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

    /// The end of a session by the server counts as loss of the connection, a statement time-out as a time-out.
    private static func kind(ofState state: String) -> Kind {
        switch state {
        case "57P01", "57P02", "57P03", "57P05", "25P03": .connectionLost
        case "57014": .timeout
        default: state.hasPrefix("08") ? .connectionLost : .server
        }
    }

    /// Messages about data, and those that SQL functions raise themselves, may quote what was stored or sent; messages
    /// of these classes name only what the SQL text and the catalogue hold.
    private static func isSafeToQuote(_ state: String) -> Bool { safeClasses.contains(String(state.prefix(2))) }

    private static let safeClasses: Set<String> = [
        "08", "0A", "25", "26", "28", "34", "3D", "3F", "40", "42", "53", "54", "55", "57", "58", "XX",
    ]
}
