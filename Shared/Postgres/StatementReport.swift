/// What became of one call, for metrics.
public struct StatementReport: Sendable {
    /// The statement's name; a batch's last.
    public let name: String
    /// From the call to the result, waiting for a connection included.
    public let duration: Duration
    /// Rows returned or touched.
    public let rows: Int
    /// The failure, if it failed.
    public let error: PostgresError?

    init(_ request: Request, _ outcome: Request.Outcome, took duration: Duration) {
        name = request.steps.last?.statement.name ?? ""
        self.duration = duration
        switch outcome {
        case .rows(let list): (rows, error) = (list.affected, nil)
        case .batch(let lists): (rows, error) = (lists.reduce(0) { $0 + $1.affected }, nil)
        case .failed(let failure): (rows, error) = (0, failure)
        }
    }
}
