import Testing
import Wire

@testable import auth_service

@Suite("Codes from seeds")
struct CodeGeneratorTests {
    private let generator = CodeGenerator(credential: "secret")

    private func seed(
        _ purpose: CodePurpose = .reset, address: String = "a@b.kr", account: UserID? = nil, byte: UInt8 = 1
    ) -> CodeSeed {
        CodeSeed(purpose, address: address, account: account, bytes: [UInt8](repeating: byte, count: 32))
    }

    @Test("A code has six digits and is the same for the same seed")
    func digits() {
        for byte in UInt8.min...UInt8.max {
            let code = generator.code(of: seed(byte: byte))
            #expect(code.utf8.count == 6 && code.utf8.allSatisfy { (0x30...0x39).contains($0) })
            #expect(generator.isCode(code, of: seed(byte: byte)))
        }
    }

    @Test("Another purpose, address, account, seed or key gives another code")
    func bound() {
        let code = generator.code(of: seed())
        let others = [
            seed(.verification), seed(address: "b@b.kr"), seed(account: UserID(7)), seed(byte: 2),
        ].map(generator.code)
        #expect(!others.contains(code))
        #expect(CodeGenerator(credential: "another").code(of: seed()) != code)
    }

    @Test("Text of another length or script is not a code")
    func foreign() {
        let code = generator.code(of: seed())
        for text in ["", String(code.dropLast()), code + "0", "１２３４５６"] {
            #expect(!generator.isCode(text, of: seed()))
        }
    }

    @Test("Fresh seeds differ")
    func random() {
        let seeds = (1...100).map { _ in CodeSeed(.reset, address: "a@b.kr", account: nil).bytes }
        #expect(Set(seeds).count == 100)
    }
}
