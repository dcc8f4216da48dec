import Contract
import Foundation
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Mentions")
struct MentionsTests {
    private static let names: [Int64: String] = [
        1: "민지", 2: "민지수", 3: "김 민지", 4: "Ben", 5: "🌱새싹", 6: "새싹🌱", 7: "channel팀", 8: "민", 9: "ben",
        10: "José", 11: "李", 12: "A.B", 13: "👩‍👩‍👧‍👦",
    ]

    private static func mentions(_ text: String, _ names: [Int64: String] = names) -> Mentions {
        Mentions(in: text, among: MemberNames(names.map { (user: UserID($0.key), nickname: $0.value) }))
    }

    private static func users(_ text: String, _ names: [Int64: String] = names) -> [Int64] {
        mentions(text, names).users.map(\.rawValue)
    }

    /// Particles, endings and titles that stick to Korean names.
    static let particles = [
        "", "아", "야", "이", "가", "이가", "은", "는", "이는", "을", "를", "이를", "과", "와", "이와", "랑", "이랑", "하고", "의",
        "에게", "한테", "에게서", "한테서", "께", "께서", "도", "만", "까지", "부터", "마저", "조차", "밖에", "보다", "처럼", "같이", "만큼",
        "님", "님께", "님이", "님은", "씨", "씨가", "선배", "선배님", "형", "누나", "언니", "오빠", "쌤", "팀장님", "대리님", "이다", "입니다",
        "이에요", "예요", "이야", "인데", "이라고", "라고", "로", "으로", "이여", "여", "네", "이네", "들", "등", ",", ".", "!", "?", "…", "~",
        "ㅋㅋ", "ㅠㅠ", " 안녕", "\n안녕", "🙏", "❤️", "(", ")", ":", "-", "_", "1", "a",
    ]

    @Test("A nickname is mentioned with any particle, title or sign attached to it", arguments: particles)
    func sticking(_ particle: String) {
        #expect(Self.users("@김 민지\(particle)") == [3])
        #expect(Self.users("저기 @새싹🌱\(particle) 봤어?") == [6])
        #expect(Self.users("(@🌱새싹\(particle))") == [5])
    }

    @Test("Of nicknames that begin alike the longest that fits is mentioned")
    func longest() {
        #expect(Self.users("@민지야") == [1])
        #expect(Self.users("@민지수야") == [2])
        #expect(Self.users("@민수야") == [8])
        #expect(Self.users("@김 민지수") == [3])
        #expect(Self.users("@민지 @민지수 @민") == [1, 2, 8])
        #expect(Self.users("@김민지") == [])
    }

    @Test("Composed and decomposed Hangul and Latin are equal, in names and in texts")
    func normalization() {
        for name in [\String.precomposedStringWithCanonicalMapping, \.decomposedStringWithCanonicalMapping] {
            for text in [\String.precomposedStringWithCanonicalMapping, \.decomposedStringWithCanonicalMapping] {
                let names = Self.names.mapValues { $0[keyPath: name] }
                #expect(Self.users("@민지님 @José, @민지수야"[keyPath: text], names) == [1, 10, 2])
            }
        }
    }

    @Test("A name in the same case goes before one in another case; all members of a name are mentioned")
    func sameName() {
        #expect(Self.users("@Ben") == [4])
        #expect(Self.users("@ben") == [9])
        #expect(Set(Self.users("@BEN")) == [4, 9])
        #expect(Self.users("@JOSÉ") == [10])
        #expect(Set(Self.users("@쌍둥이야", [1: "쌍둥이", 2: "쌍둥이"])) == [1, 2])
    }

    @Test("An address and a lone sign are not mentions")
    func addresses() {
        for text in ["a@Ben.kr", "1@민지", "x_@Ben", "@", "@@", "@ 민지", "민지", "<@", "<@>", "<@x>", "<@999>", "＠민지"] {
            #expect(Self.mentions(text) == .none, "\(text)")
        }
        #expect(Self.users("그래@민지야") == [1])
        #expect(Self.users("@@민지") == [1])
        #expect(Self.users("A.B@A.B @A.B") == [12])
    }

    @Test("An id names a member exactly, and nobody outside the room")
    func ids() {
        #expect(Self.users("<@2>야, <@5>님") == [2, 5])
        #expect(Self.users("<@2><@2>@민지수") == [2])
        #expect(Self.users("<@77> <@0> <@-1> <@02x>") == [])
        #expect(Self.users("<@민지>") == [1])
        #expect(Self.users("<@99999999999999999999999>") == [])
    }

    @Test("Channel and here name groups, as whole words; a longer nickname goes first")
    func groups() {
        #expect(Self.mentions("@channel 공지") == Mentions(room: true))
        #expect(Self.mentions("@channel에 계신 @here분들") == Mentions(room: true, here: true))
        #expect(Self.mentions("@channels @hereby @channel_a @Channel") == .none)
        #expect(Self.mentions("@channel팀") == Mentions(users: [UserID(7)]))
        #expect(Self.mentions("@here!") == Mentions(here: true))
        #expect(Self.mentions("@here", [1: "here"]) == Mentions(here: true))
        #expect(Self.mentions("@민지 @channel <@3>") == Mentions(users: [UserID(1), UserID(3)], room: true))
    }

    @Test("Emoji of several scalars are whole characters of a name")
    func emoji() {
        #expect(Self.users("@👩‍👩‍👧‍👦 안녕") == [13])
        #expect(Self.users("@👩‍👩‍👧") == [])
        #expect(Self.users("@새싹🌱🌱") == [6])
        #expect(Self.users("@李님") == [11])
    }

    @Test("Random texts mention the members with the longest names that fit, as by a comparison with every name")
    func random() {
        let pieces = ["민", "지", "가", "김 ", "Ab", "É", "ß", "🌱", "1", "@", "a"]
        for seed in UInt64(1)...200 {
            var random = SeededRandom(seed: seed)
            func word(_ lengths: ClosedRange<Int>) -> String {
                (0..<Int.random(in: lengths, using: &random)).map { _ in pieces.randomElement(using: &random)! }
                    .joined()
            }
            let names = Dictionary(uniqueKeysWithValues: (Int64(1)...8).map { ($0, word(1...5)) })
            let text = "@" + word(0...6) + " @" + word(0...30) + word(1...1).uppercased()
            var (rest, expected) = (text[...], [Int64]())
            while let sign = rest.firstIndex(of: "@") {
                let isWord = rest.startIndex < sign ? rest[rest.index(before: sign)] : text[..<sign].last
                rest = rest[rest.index(after: sign)...]
                if let isWord, isWord.isASCII, isWord.isLetter || isWord.isNumber || isWord == "_" { continue }
                let fitting = names.mapValues(\.count).values.filter { length in
                    names.values.contains { name in
                        name.count == length && name.caselessKey == String(rest.prefix(length)).caselessKey
                    }
                }
                guard let length = fitting.max(), length <= rest.count else { continue }
                let found = String(rest.prefix(length))
                let exact = names.filter { $0.value == found }
                let users = exact.isEmpty ? names.filter { $0.value.caselessKey == found.caselessKey } : exact
                for user in users.keys where !expected.contains(user) { expected.append(user) }
                rest = rest.dropFirst(length)
            }
            #expect(Set(Self.users(text, names)) == Set(expected), "\(text), \(names)")
        }
    }

    @Test("The members that a stored text names by id are found in one pass", .timeLimit(.minutes(5)))
    func stored() {
        let users = (1...200_000).map { UserID($0) }
        let message = StoredMessage(
            room: RoomID(ChannelID(7)), workspace: WorkspaceID(3), seq: 1, id: ChatID(1), author: UserID(1),
            session: SessionID(1), content: users.dropLast().map { "<@\($0)>" }.joined(), files: [],
            createdAt: Timestamp(milliseconds: 0), clientID: nil,
            traits: MessageTraits(mentions: users.map { .user($0, nickname: nil) }),
            details: MessageDetails(rev: 0, editedAt: nil, deletedAt: nil))
        let nickname = MemberView.deleted(UserID(1)).nickname
        let expected = users.map { MessageMention.user($0, nickname: $0 == users.last ? nil : nickname) }
        #expect(message.body([:]).traits?.mentions == expected)
    }

    @Test("The longest text with the most signs is read in one pass")
    func large() {
        let names = MemberNames((1...5000).map { (user: UserID($0), nickname: "민지\($0)") })
        let text = String(repeating: "@민지1 ", count: 2000)
        #expect(Mentions(in: text, among: names).users == [UserID(1)])
    }
}
