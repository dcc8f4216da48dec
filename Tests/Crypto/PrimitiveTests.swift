import Crypto
import Testing

@Suite struct PrimitiveTests {
    @Test(
        "SHA-256 gives the digests of FIPS 180",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func sha256(message: String, digest: String) {
        #expect(SHA256.digest(of: Array(message.utf8)) == bytes(digest))
    }

    @Test("A digest computed piece by piece is the same as that of the whole")
    func streamedDigest() {
        let message = SecureRandom.bytes(10_000)
        var digest = SHA256()
        for start in stride(from: 0, to: message.count, by: 777) {
            digest.update(message.span.extracting(start..<min(start + 777, message.count)))
        }
        #expect(digest.finalize() == SHA256.digest(of: message))
    }

    @Test("HMAC-SHA256 gives the codes of RFC 4231", arguments: RFC4231.all)
    func hmac(vector: RFC4231) {
        let key = HMACSHA256(key: vector.key)
        #expect(key.code(for: vector.message) == vector.code)
        #expect(key.isValid(vector.code, for: vector.message))
        // The context is reused: the second code must not depend on the first message.
        _ = key.code(for: [1, 2, 3])
        #expect(key.code(for: vector.message) == vector.code)
    }

    @Test("HMAC-SHA256 with an empty key is defined")
    func hmacWithEmptyKey() {
        let code = bytes("b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
        #expect(HMACSHA256(key: []).code(for: []) == code)
    }

    @Test("A code is not valid for another message, or if it is cut or changed in a bit")
    func tamperedCode() {
        let key = HMACSHA256(key: SecureRandom.bytes(32))
        let message = Array("1700000000.{}".utf8)
        let code = key.code(for: message)
        #expect(!key.isValid(code, for: Array("1700000001.{}".utf8)))
        #expect(!key.isValid(Array(code.prefix(31)), for: message))
        #expect(!key.isValid([], for: message))
        for index in code.indices {
            var changed = code
            changed[index] ^= 1
            #expect(!key.isValid(changed, for: message))
        }
    }

    @Test("Codes made on many threads at once with one key are correct")
    func concurrentCodes() async {
        let key = HMACSHA256(key: Array("key".utf8))
        let expected = (0..<100).map { key.code(for: [UInt8($0)]) }
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for number in 0..<100 { #expect(key.code(for: [UInt8(number)]) == expected[number]) }
                }
            }
        }
    }

    @Test("Only the same bytes of the same length are equal")
    func constantTime() {
        #expect(ConstantTime.areEqual([], []))
        #expect(ConstantTime.areEqual([1, 2], [1, 2]))
        #expect(!ConstantTime.areEqual([1, 2], [1, 3]))
        #expect(!ConstantTime.areEqual([1, 2], [1]))
        #expect(!ConstantTime.areEqual([], [0]))
    }

    @Test("Random bytes have the requested number and never repeat")
    func random() {
        #expect(SecureRandom.bytes(0).isEmpty)
        let drawn = Set((0..<1000).map { _ in SecureRandom.bytes(16) })
        #expect(drawn.count == 1000)
        #expect(drawn.allSatisfy { $0.count == 16 })
    }
}
