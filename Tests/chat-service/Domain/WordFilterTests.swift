import Contract
import TestSupport
import Testing

@testable import chat_service

@Suite("Filtered words")
struct WordFilterTests {
    private static func mask(_ words: String..., in text: String) throws -> String {
        try WordFilter(words.map { .init(text: $0, isMasked: true) }).apply(to: text)
    }

    @Test("A masked word is found in any case, width and composition, and inside of Korean words")
    func masked() throws {
        let rows: [(word: String, text: String, shown: String)] = [
            ("바보", "이 바보야!", "이 **야!"),
            ("spam", "SPAM Spam ｓｐａｍ", "**** **** ****"), ("spam", "spammer antispam", "spammer antispam"),
            ("ass", "class, ass", "class, ***"), ("a b", "A  b c", "*  * c"), ("🤬", "a🤬b", "a*b"),
            ("é", "e\u{301}", "*"), ("바보", "", ""), ("좋다", "나쁘다", "나쁘다"),
        ]
        for row in rows {
            #expect(try Self.mask(row.word, in: row.text) == row.shown, "\(row.word) in \(row.text)")
        }
        // Joiners, fillers and other scalars that cannot be seen.
        for hidden in ["\u{200B}", "\u{200D}", "\u{3164}", "\u{180E}", "\u{2063}", "\u{E0001}"] {
            #expect(try Self.mask("바보", in: "이 바\(hidden)보야").filter { $0 == "*" }.count >= 2, "\(hidden.utf8)")
            #expect(try Self.mask("spam", in: "class sp\(hidden)am!").hasPrefix("class *"), "\(hidden.utf8)")
        }
        #expect(try Self.mask("바\u{200D}보", in: "바보") == "**")
        // Decomposed letters, as some systems write them.
        #expect(try Self.mask("바보", in: "\u{1107}\u{1161}\u{1107}\u{1169}님") == "**님")
        #expect(try Self.mask("바보", "spam", in: "바보 spam") == "** ****")
    }

    @Test("Words that repeat themselves are masked where a comparison at each place finds them")
    func repeated() throws {
        for seed in UInt64(1)...300 {
            var random = SeededRandom(seed: seed)
            func text(_ length: Int) -> String { String((0..<length).map { _ in "가나".randomElement(using: &random)! }) }
            let (word, content) = (text(Int.random(in: 1...6, using: &random)), text(60))
            var (expected, rest) = ("", content[...])
            while let next = rest.first {
                if rest.hasPrefix(word) {
                    expected += String(repeating: "*", count: word.count)
                    rest = rest.dropFirst(word.count)
                } else {
                    expected.append(next)
                    rest = rest.dropFirst()
                }
            }
            #expect(try Self.mask(word, in: content) == expected, "\(word) in \(content)")
        }
    }

    @Test("A refused word refuses the whole message")
    func refused() throws {
        let filter = WordFilter([.init(text: "바보", isMasked: false), .init(text: "spam", isMasked: true)])
        #expect { _ = try filter.apply(to: "바보들") } throws: { ($0 as? Failure)?.code == .invalidRequest }
        #expect(try filter.apply(to: "spam") == "****")
        #expect(try WordFilter.empty.apply(to: "바보") == "바보")
    }

    @Test("A list has each word once, of 1 to 50 characters, and at most 500 of them")
    func lists() throws {
        func words(_ texts: [String]) throws -> [String] {
            try WordFilter.checked(texts.map { .init(text: $0, isMasked: true) }).map(\.text)
        }
        #expect(try words(["Spam", "ｓｐａｍ", "ham"]) == ["Spam", "ham"])
        for wrong in [[""], [" "], [String(repeating: "가", count: 51)], (0...500).map { "w\($0)" }] {
            #expect { _ = try words(wrong) } throws: { ($0 as? Failure)?.code == .invalidRequest }
        }
    }
}
