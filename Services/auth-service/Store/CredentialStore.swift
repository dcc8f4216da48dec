import Postgres
import Wire

/// The password and the address of an account, as their changes need them.
struct CredentialStore: Sendable {
    let database: PostgresPool

    private static let reset = Statement.write(
        "reset password",
        """
        with owned as (
            select id, is_email_verified from account where email_key = $1 and bot_workspace is null for no key update
        )
        update account set
            password_hash = $2, credentials = credentials + 1, is_email_verified = true, mail_bounced_at = null
        from owned where account.id = owned.id
        returning account.id, owned.is_email_verified
        """)
    private static let changePassword = Statement.write(
        "change password",
        "update account set password_hash = $2, credentials = credentials + 1 where id = $1 and credentials = $3")
    private static let verify = Statement.write(
        "verify address",
        "update account set is_email_verified = true, mail_bounced_at = null where id = $1 and email_key = $2")
    private static let changeEmail = Statement.write(
        "change address",
        """
        update account set
            email = $2, email_key = $3, is_key_exact = true, is_email_verified = true, mail_bounced_at = null,
            credentials = credentials + 1, version = version + 1
        where id = $1 and credentials = $4 and not exists (select from account where email_key = $3 and id <> $1)
        returning id, email, nickname, phone, profile_image, provider, created_at, version, bot_workspace
        """)

    /// Sets the password of the account of an address, which the code has verified. Nil if there is no such account.
    ///
    /// - Returns: the account, and whether its address was verified before.
    func reset(
        _ email: EmailAddress, passwordHash: String, in transaction: PostgresTransaction
    ) async throws -> (account: UserID, wasVerified: Bool)? {
        try await transaction.query(Self.reset, email.key, passwordHash).first { row throws(PostgresError) in
            (account: try row.next(as: UserID.self), wasVerified: try row.next(as: Bool.self))
        }
    }

    /// Sets a new password; returns false if another change came first.
    func changePassword(
        of account: UserID, at credentials: Int64, passwordHash: String, in transaction: PostgresTransaction
    ) async throws -> Bool {
        try await transaction.execute(Self.changePassword, account, passwordHash, credentials) == 1
    }

    /// Marks the account's address as verified; returns false if the account has another address by now.
    func verify(_ email: EmailAddress, of account: UserID, in transaction: PostgresTransaction) async throws -> Bool {
        try await transaction.execute(Self.verify, account, email.key) == 1
    }

    /// Sets a new address; nil if another account has it, or another change came first. The caller then rolls the
    /// transaction back.
    func changeEmail(
        of account: UserID, at credentials: Int64, to email: EmailAddress, in transaction: PostgresTransaction
    ) async throws -> Account? {
        try await nilIfTaken {
            try await transaction.query(Self.changeEmail, account, email.text, email.key, credentials)
                .first(Account.init(row:))
        }
    }

    /// Runs a statement that sets an address; nil if another account took it at the same time, which fails the transaction.
    private func nilIfTaken(_ statement: () async throws -> Account?) async throws -> Account? {
        do {
            return try await statement()
        } catch let error as PostgresError where error.isUniqueViolation() {
            return nil
        }
    }
}
