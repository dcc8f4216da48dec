/// A user's wallet, read under the lock of the user's account, and the reserve that a call is about.
struct LockedWallet: Sendable, Equatable {
    /// Coins that the user can spend.
    var balance: Int
    /// The version of the wallet's last entry; 0 before its first.
    var version: Int
    /// The reserve under the key of the call, if there is one.
    var reserve: Reserve?
}
