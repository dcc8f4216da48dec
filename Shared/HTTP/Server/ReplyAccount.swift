/// Pays for reply bytes that wait in memory because clients are slow, for example those of one user.
public protocol ReplyAccount: AnyObject, Sendable {
    /// The bytes that wait on one connection have grown by `bytes`, or shrunk if it is negative. Called on the loop of the
    /// connection.
    func waitingBytesChanged(by bytes: Int)
}

/// The reply bytes of one connection that wait for its client, and the account that pays for them.
struct WaitingBytes {
    private var account: (any ReplyAccount)?
    private var charged = 0

    /// The next bytes belong to `account`. A reply without an account leaves the earlier one in charge.
    mutating func begin(_ account: (any ReplyAccount)?) {
        guard account != nil || charged == 0 else { return }
        let waiting = charged
        settle(0)
        self.account = account
        settle(waiting)
    }

    /// Charges the account for `count` bytes in place of those that waited before.
    mutating func settle(_ count: Int) {
        guard count != charged, let account else { return }
        account.waitingBytesChanged(by: count - charged)
        charged = count
    }
}

extension Response {
    /// Whether the body is made in memory and large enough to wait for a slow client.
    public var isLarge: Bool {
        switch body {
        case .bytes(let bytes): bytes.count > 4096
        case .stream: true
        case .none, .file, .upgrade: false
        }
    }
}
