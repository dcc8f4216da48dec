import Crypto
import Testing
import Wire

@testable import auth_service

@Suite("One-time passwords")
struct TOTPTests {
    private static let digits = Array("1234567890".utf8)

    /// The secret of the vectors: the ten digits over and over.
    private static func secret(_ length: Int) -> [UInt8] { (0..<length).map { digits[$0 % 10] } }

    @Test(
        "The vectors of RFC 6238, appendix B",
        arguments: [
            (59, "94287082", "46119246", "90693936"), (1_111_111_109, "07081804", "68084774", "25091201"),
            (1_111_111_111, "14050471", "67062674", "99943326"), (1_234_567_890, "89005924", "91819424", "93441116"),
            (2_000_000_000, "69279037", "90698825", "38618901"), (20_000_000_000, "65353130", "77737706", "47863826"),
        ] as [(Int64, String, String, String)])
    func rfc6238(seconds: Int64, sha1: String, sha256: String, sha512: String) {
        let step = TOTP.step(at: Timestamp(seconds: seconds))
        #expect(TOTP(secret: Self.secret(20), digits: 8).code(at: step) == sha1)
        #expect(TOTP(secret: Self.secret(32), digits: 8, hash: .sha256).code(at: step) == sha256)
        #expect(TOTP(secret: Self.secret(64), digits: 8, hash: .sha512).code(at: step) == sha512)
    }

    @Test("The vectors of RFC 4226, appendix D")
    func rfc4226() {
        let codes = [
            "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489",
        ]
        for (counter, code) in codes.enumerated() {
            #expect(TOTP(secret: Self.secret(20)).code(at: Int64(counter)) == code)
        }
    }

    @Test("A code counts in its own step and the ones beside it, and no other text does")
    func tolerance() {
        let passwords = TOTP(secret: Self.secret(20))
        let moment = Timestamp(seconds: 1_700_000_000)
        let present = TOTP.step(at: moment)
        for distance in Int64(-3)...3 {
            let found = passwords.step(of: passwords.code(at: present + distance), at: moment)
            #expect(found == (abs(distance) <= 1 ? present + distance : nil))
        }
        for text in ["", "12345", "1234567", "abcdef", "００００００"] {
            #expect(passwords.step(of: text, at: moment) == nil)
        }
    }

    @Test("An authenticator app reads the account, the server and the secret from the address")
    func address() {
        let address = TOTP(secret: Self.secret(20)).address(of: "a+b@b.kr", at: "마루 채팅")
        #expect(
            address
                == "otpauth://totp/%EB%A7%88%EB%A3%A8%20%EC%B1%84%ED%8C%85:a%2Bb%40b.kr?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=%EB%A7%88%EB%A3%A8%20%EC%B1%84%ED%8C%85&algorithm=SHA1&digits=6&period=30"
        )
    }

    @Test("Recovery codes are random, and are read as people type them")
    func recoveryCodes() {
        let codes = (0..<200).map { _ in RecoveryCode() }
        #expect(Set(codes.map(\.text)).count == 200)
        for code in codes {
            #expect(RecoveryCode(code.shown.lowercased()) == code)
            #expect(RecoveryCode(" \(code.text.prefix(5)) \(code.text.suffix(5)) ") == code)
        }
        for text in ["", "ABCDE-FGHI", "ABCDE-FGHIJK", "가나다라마-바사아자차"] { #expect(RecoveryCode(text) == nil) }
    }

    @Test("A secret depends on the key, the account and the seed; digests of codes on the account")
    func secrets() {
        let (first, second) = (SecondFactorSecrets(key: "a"), SecondFactorSecrets(key: "b"))
        let secrets = [
            first.passwords(of: UserID(1), seed: [1]).secret, first.passwords(of: UserID(2), seed: [1]).secret,
            first.passwords(of: UserID(1), seed: [2]).secret, second.passwords(of: UserID(1), seed: [1]).secret,
        ]
        #expect(Set(secrets).count == 4 && secrets.allSatisfy { $0.count == 20 })
        let code = RecoveryCode()
        #expect(first.digest(of: code, of: UserID(1)) != first.digest(of: code, of: UserID(2)))
    }
}
