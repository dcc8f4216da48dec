import Glibc
import Testing

@testable import Crypto

@Suite struct PasswordTests {
    /// Parameters that are cheap enough for many runs.
    private static let cheap = Argon2Parameters(memory: 256, iterations: 1, parallelism: 1)

    private static let unacceptable = [
        "", "password", "$2b$12$abcdefghijklmnopqrstuv",
        "$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
        "$argon2id$v=16$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
        "$argon2id$v=19$m=256,t=2$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
        "$argon2id$v=19$t=2,m=256,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
        "$argon2id$v=19$m=256,t=0,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
        "$argon2id$v=19$m=7,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
        "$argon2id$v=19$m=4194304,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
        "$argon2id$v=19$m=256,t=99999,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
        "$argon2id$v=19$m=-256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
        "$argon2id$v=19$m=256,t=2,p=1$c2E$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
        "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65",
        "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ=$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
        "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4$",
    ]

    @Test(
        "Hashes made by the reference implementation are recognised",
        arguments: [
            "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
            "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc",
        ])
    func reference(stored: String) async throws {
        let hasher = PasswordHasher(threads: 1)
        #expect(try await hasher.verify("password", against: stored) == .right(needsRehash: true))
        #expect(try await hasher.verify("passwore", against: stored) == .wrong)
    }

    @Test("A password in any script is hashed with the recommended cost, and the hash contains its parameters")
    func recommended() async throws {
        let hasher = PasswordHasher(threads: 1)
        let stored = try await hasher.hash("비밀번호 Passw0rd!")
        #expect(stored.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
        #expect(try await hasher.verify("비밀번호 Passw0rd!", against: stored) == .right(needsRehash: false))
        #expect(try await hasher.verify("비밀번호 Passw0rd?", against: stored) == .wrong)
        #expect(try await hasher.verify("", against: stored) == .wrong)
    }

    @Test("The same password has a different hash each time")
    func salt() async throws {
        let hasher = PasswordHasher(parameters: Self.cheap, threads: 1)
        let first = try await hasher.hash("Passw0rd!")
        let second = try await hasher.hash("Passw0rd!")
        #expect(first != second)
    }

    @Test("A hash made with other parameters is right and needs a rehash")
    func rehash() async throws {
        let old = PasswordHasher(parameters: Self.cheap, threads: 1)
        let new = PasswordHasher(parameters: Argon2Parameters(memory: 512, iterations: 1, parallelism: 1), threads: 1)
        let stored = try await old.hash("Passw0rd!")
        #expect(try await new.verify("Passw0rd!", against: stored) == .right(needsRehash: true))
        let renewed = try await new.hash("Passw0rd!")
        #expect(try await new.verify("Passw0rd!", against: renewed) == .right(needsRehash: false))
    }

    @Test("For an account that does not exist every password is wrong, and takes as long as for any other")
    func unknownAccount() async throws {
        let hasher = PasswordHasher(threads: 1)
        #expect(try await hasher.verify("wrong", against: nil) == .wrong)
        #expect(try await hasher.verify("", against: nil) == .wrong)

        let known = try PasswordHash(of: Array("Passw0rd!".utf8), parameters: hasher.parameters)
        #expect(hasher.unknownAccountHash.parameters == known.parameters)
        var costs = (known: UInt64.max, unknown: UInt64.max)
        // The minimum of several runs: other work on the machine can only add to the time.
        for _ in 0..<40 {
            costs.known = min(costs.known, try processorTime(of: known))
            costs.unknown = min(costs.unknown, try processorTime(of: hasher.unknownAccountHash))
            if costs.unknown > costs.known * 9 / 10 && costs.unknown < costs.known * 11 / 10 { return }
        }
        Issue.record("known \(costs.known) ns, unknown \(costs.unknown) ns")
    }

    /// The processor time of this thread for comparing a wrong password, in nanoseconds.
    private func processorTime(of hash: PasswordHash) throws -> UInt64 {
        let start = threadTime()
        #expect(try !hash.matches(Array("wrong".utf8)))
        return threadTime() - start
    }

    private func threadTime() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    @Test(
        "A text that is not an acceptable Argon2id hash is refused without computing anything",
        arguments: PasswordTests.unacceptable)
    func malformed(stored: String) async throws {
        let hasher = PasswordHasher(parameters: Self.cheap, threads: 1)
        await #expect(throws: PasswordHashingError.malformedHash) {
            try await hasher.verify("password", against: stored)
        }
    }

    @Test("A flood is shed at once, and every queued password gets an answer")
    func flood() async throws {
        let hasher = PasswordHasher(threads: 1, queueLimit: 4)
        let outcomes = await withTaskGroup { group in
            for _ in 0..<40 {
                group.addTask { () -> Result<PasswordVerdict, PasswordHashingError> in
                    do throws(PasswordHashingError) {
                        return .success(try await hasher.verify("Passw0rd!", against: nil))
                    } catch {
                        return .failure(error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let answered = outcomes.count { $0 == .success(.wrong) }
        let shed = outcomes.count { $0 == .failure(.overloaded) }
        #expect(answered + shed == 40)
        #expect(answered >= 4)
        #expect(shed >= 20)
    }
}
