/// The outcome of one call, for metrics and traces.
public struct StatementReport: Sendable {
    /// The name of the statement; for a batch, of its last statement.
    public let name: String
    /// The names of its statements in their order.
    public let names: [String]
    /// The time from the call to the result, including the wait for a connection.
    public let duration: Duration
    /// The number of returned or affected rows.
    public let rows: Int
    /// The failure, if it failed.
    public let error: PostgresError?

    init(_ request: Request, _ outcome: Request.Outcome, took duration: Duration) {
        names = request.steps.map(\.statement.name)
        name = names.last ?? ""
        self.duration = duration
        switch outcome {
        case .rows(let list): (rows, error) = (list.affected, nil)
        case .batch(let lists): (rows, error) = (lists.reduce(0) { $0 + $1.affected }, nil)
        case .failed(let failure): (rows, error) = (0, failure)
        }
    }
}
