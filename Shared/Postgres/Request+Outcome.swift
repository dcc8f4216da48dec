extension Request.Outcome {
    /// The rows of a single statement.
    var rows: Rows {
        get throws(PostgresError) {
            switch self {
            case .rows(let rows): rows
            case .batch(let lists): lists[0]
            case .failed(let error): throw error
            }
        }
    }

    /// The rows of each statement of a batch.
    var lists: [Rows] {
        get throws(PostgresError) {
            switch self {
            case .rows(let rows): [rows]
            case .batch(let lists): lists
            case .failed(let error): throw error
            }
        }
    }
}
