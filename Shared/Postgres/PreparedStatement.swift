/// A statement that one connection has prepared for one list of parameter types.
final class PreparedStatement {
    struct Key: Hashable {
        let statement: Int
        let signature: UInt64
    }

    let key: Key
    /// The name on the server, with its final NUL.
    let name: [CChar]
    /// The server's reason for refusing it. Requests that were sent before the refusal arrived fail for the same reason.
    var failure: PostgresError?

    init(key: Key, number: Int, label: String) {
        self.key = key
        name = Array("\(number) \(label)".utf8CString)
    }
}
