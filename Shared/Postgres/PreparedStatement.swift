/// A statement as one connection has prepared it, for one list of parameter types.
final class PreparedStatement {
    struct Key: Hashable {
        let statement: Int
        let signature: UInt64
    }

    let key: Key
    /// The name on the server, with its final NUL.
    let name: [CChar]
    /// Why the server refused it; statements that were sent with it fail for the same reason.
    var failure: PostgresError?

    init(key: Key, number: Int, label: String) {
        self.key = key
        name = Array("\(number) \(label)".utf8CString)
    }
}
