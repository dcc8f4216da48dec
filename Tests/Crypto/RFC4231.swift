import Testing

/// A test case of RFC 4231 for HMAC-SHA256; the fifth case is left out because it truncates its code.
struct RFC4231: Sendable, CustomTestStringConvertible {
    let number: Int
    let key: [UInt8]
    let message: [UInt8]
    let code: [UInt8]

    var testDescription: String { "case \(number)" }

    static let all = [
        RFC4231(
            number: 1, key: Array(repeating: 0x0B, count: 20), message: Array("Hi There".utf8),
            code: bytes("b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")),
        RFC4231(
            number: 2, key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8),
            code: bytes("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")),
        RFC4231(
            number: 3, key: Array(repeating: 0xAA, count: 20), message: Array(repeating: 0xDD, count: 50),
            code: bytes("773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe")),
        RFC4231(
            number: 4, key: Array(1...25), message: Array(repeating: 0xCD, count: 50),
            code: bytes("82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b")),
        RFC4231(
            number: 6, key: Array(repeating: 0xAA, count: 131),
            message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            code: bytes("60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")),
        RFC4231(
            number: 7, key: Array(repeating: 0xAA, count: 131),
            message: Array(
                """
                This is a test using a larger than block-size key and a larger than block-size data. \
                The key needs to be hashed before being used by the HMAC algorithm.
                """.utf8),
            code: bytes("9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2")),
    ]
}
