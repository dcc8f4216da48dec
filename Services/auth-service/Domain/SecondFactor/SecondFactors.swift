import Contract
import Crypto
import Postgres
import ServiceKit
import Wire

/// The second factor of accounts: codes of an authenticator app, and recovery codes. Owners turn it on and off.
struct SecondFactors: Sendable {
    let store: SecondFactorStore
    let secrets: SecondFactorSecrets
    let sessions: Sessions
    let mails: MailOutbox
    let facts: AccountFactPublisher
    /// The name that authenticator apps show.
    let issuer: String

    /// How an owner sees the second factor of the account.
    struct State: Sendable {
        let isEnabled: Bool
        /// Unused ones.
        let recoveryCodes: Int
        /// Grows when it is turned on or off.
        let version: Int64
    }

    /// Tries of one account in a window. Six digits have a million values, of which three are right.
    private static let tries = 10
    private static let window = Duration.seconds(900)
    private static let seedLength = 32

    func state(of account: UserID) async throws -> State { try await store.state(of: account) }

    // MARK: Turning it on and off

    /// Makes a new secret, which counts once a code of it has come back.
    ///
    /// - Throws: E12 while a second factor is on.
    func begin(of account: Account) async throws -> TOTP {
        let seed = SecureRandom.bytes(Self.seedLength)
        guard try await store.begin(account.id, seed: seed, at: .now) else {
            throw Failure.duplicate("The account has a second factor already.")
        }
        return secrets.passwords(of: account.id, seed: seed)
    }

    /// Turns the second factor on with the first code of the app, ends the other sessions, and returns the recovery codes.
    func enable(of caller: Caller, code: String) async throws -> [RecoveryCode] {
        let proof = try await check(code, of: caller.user, isEnabled: false)
        let codes = (0..<RecoveryCode.count).map { _ in RecoveryCode() }
        let now = Timestamp.now
        let ended = try await facts.outbox.transaction { tx in
            guard case .step(let step) = proof,
                try await store.enable(caller.user, step: step, at: now, in: tx)
            else { throw Self.refused }
            try await store.replaceCodes(of: caller.user, by: digests(codes, of: caller.user), in: tx)
            try await mails.notify(caller.user, .secondFactorOn, in: tx)
            try await publish(isOn: true, of: caller.user, in: tx)
            return try await sessions.revokeAll(of: caller.user, except: caller.session, at: now, in: tx)
        }
        sessions.publish(ended, of: caller.user, at: now)
        mails.wake()
        return codes
    }

    /// Replaces the recovery codes.
    func renewCodes(of account: UserID, code: String) async throws -> [RecoveryCode] {
        let proof = try await check(code, of: account)
        let codes = (0..<RecoveryCode.count).map { _ in RecoveryCode() }
        try await store.transaction { tx in
            try await use(proof, of: account, in: tx)
            try await store.replaceCodes(of: account, by: digests(codes, of: account), in: tx)
            try await mails.notify(account, .recoveryCodesRenewed, in: tx)
        }
        mails.wake()
        return codes
    }

    /// Turns the second factor off. Remembered devices are forgotten.
    func disable(of account: UserID, code: String) async throws {
        let proof = try await check(code, of: account)
        try await facts.outbox.transaction { tx in
            try await use(proof, of: account, in: tx)
            try await store.remove(account, in: tx)
            try await mails.notify(account, .secondFactorOff, in: tx)
            try await publish(isOn: false, of: account, in: tx)
        }
        mails.wake()
    }

    /// Turns a lost second factor off, and ends all sessions; returns how many. An operator has made
    /// sure of the owner.
    func reset(of account: UserID) async throws -> Int {
        let now = Timestamp.now
        let ended = try await facts.outbox.transaction { tx in
            try await store.remove(account, in: tx)
            try await mails.notify(account, .secondFactorOff, in: tx)
            try await publish(isOn: false, of: account, in: tx)
            return try await sessions.revokeAll(of: account, at: now, in: tx)
        }
        sessions.publish(ended, of: account, at: now)
        mails.wake()
        return ended.count
    }

    /// Turns off a second factor that was made before anybody had proved the address of the account, and forgets a secret without its
    /// first code. It locks the row of a call that is turning the second factor on: that call is then refused, or its second factor
    /// goes as well.
    func removeUnproved(of account: UserID, in tx: PostgresTransaction) async throws {
        guard try await store.removeUnproved(account, in: tx) else { return }
        try await mails.notify(account, .secondFactorOff, in: tx)
        try await publish(isOn: false, of: account, in: tx)
    }

    /// Tells workspaces that may require a second factor.
    private func publish(isOn: Bool, of account: UserID, in tx: PostgresTransaction) async throws {
        let version = try await store.raiseVersion(of: account, in: tx)
        try await facts.secondFactorChanged(
            SecondFactorChange(user: account, isOn: isOn, version: version), in: tx)
    }

    // MARK: Codes

    /// A code that is right and has not been used up yet.
    enum Proof: Sendable {
        case step(Int64)
        case recovery([UInt8])
    }

    /// Uses up a code of the account: of the app, or a recovery code. The owner hears of a used recovery code.
    func verify(_ code: String, of account: UserID) async throws {
        let proof = try await check(code, of: account)
        try await store.transaction { tx in
            try await use(proof, of: account, in: tx)
            if case .recovery = proof { try await mails.notify(account, .recoveryCodeUsed, in: tx) }
        }
        mails.wake()
    }

    /// Counts a try and compares the code.
    ///
    /// - Throws: E98 after too many tries, E11 for a wrong code.
    private func check(_ code: String, of account: UserID, isEnabled: Bool = true) async throws -> Proof {
        let now = Timestamp.now
        guard
            let found = try await store.takeTry(of: account, isEnabled: isEnabled, at: now, since: now - Self.window)
        else { throw Failure.notFound }
        guard found.tries <= Self.tries else {
            throw Failure.tooManyCalls(retryAfter: max(.seconds(1), found.since + Self.window - now))
        }
        let digits = code.filter { !$0.isWhitespace }
        if let step = secrets.passwords(of: account, seed: found.seed).step(of: digits, at: now) { return .step(step) }
        guard let recovery = RecoveryCode(code) else { throw Self.refused }
        return .recovery(secrets.digest(of: recovery, of: account))
    }

    /// Uses a code up. Of two calls with one code, one is refused.
    private func use(_ proof: Proof, of account: UserID, in tx: PostgresTransaction) async throws {
        let isFirst =
            switch proof {
            case .step(let step): try await store.use(step: step, of: account, in: tx)
            case .recovery(let digest): try await store.use(code: digest, of: account, at: .now, in: tx)
            }
        guard isFirst else { throw Self.refused }
    }

    private func digests(_ codes: [RecoveryCode], of account: UserID) -> [[UInt8]] {
        codes.map { secrets.digest(of: $0, of: account) }
    }

    static let refused = Failure.invalid("The code is wrong or has been used.")
}
