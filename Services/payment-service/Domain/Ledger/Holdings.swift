/// What a user's account holds, as far as a spend needs it, read under the account's lock.
struct Holdings: Sendable, Equatable {
    /// Coins that the user can spend.
    var wallet: Int
    /// The version of the wallet; 0 before its first entry.
    var version: Int
    /// What stands under the key that was asked about.
    var reserve: Reserve?
}
