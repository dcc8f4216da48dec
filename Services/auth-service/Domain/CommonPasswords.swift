import Contract

/// The passwords that attackers try first.
///
/// The rule for passwords asks for four kinds of characters, so people decorate a well-known word: `Passw0rd!`. The list
/// therefore holds words, and a password is compared without its decoration.
enum CommonPasswords {
    private static let substitutes: [Character: Character] = [
        "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "8": "b", "@": "a", "$": "s", "!": "i",
    ]

    /// Whether the password is a common one: a word of the list, in any case, with digits for letters, and with digits
    /// and symbols around it.
    static func contains(_ password: String) -> Bool {
        let lower = password.lowercased()
        let isLetter = { (character: Character) in character.isLetter }
        let trimmed = trim(lower, while: { !isLetter($0) })
        let all = String(lower.map { substitutes[$0] ?? $0 })
        let candidates = [
            trimmed, String(trimmed.map { substitutes[$0] ?? $0 }), trim(all, while: { !isLetter($0) }),
            String(lower.filter(isLetter)),
        ]
        return candidates.contains { $0.isEmpty || words.contains($0) || isRepetition($0) }
    }

    private static func trim(_ text: String, while isOutside: (Character) -> Bool) -> String {
        var rest = text[...]
        while let last = rest.last, isOutside(last) { rest.removeLast() }
        while let first = rest.first, isOutside(first) { rest.removeFirst() }
        return String(rest)
    }

    /// Whether the text is one part over and over, such as `aaaa` or `abcabc`.
    private static func isRepetition(_ text: String) -> Bool {
        let characters = Array(text)
        guard characters.count > 1 else { return true }
        return (1...min(4, characters.count / 2)).contains { length in
            characters.count % length == 0
                && characters.indices.allSatisfy { characters[$0] == characters[$0 % length] }
        }
    }

    private static let words: Set<String> = Set(
        """
        password passwort passwd passw pass secret letmein welcome login signin admin administrator root user guest test \
        testing tester master default changeme change temp temporary demo sample example hello hallo helloworld \
        iloveyou loveyou ilove love lovely sunshine princess prince dragon monkey tiger lion shadow superman batman \
        spiderman pokemon starwars football baseball basketball soccer hockey golf michael jordan jennifer jessica \
        ashley daniel thomas andrew joshua matthew anthony robert william charlie george hannah hunter killer trustno \
        trustnoone whatever freedom flower cookie cheese chocolate pepper ginger summer winter spring autumn fall \
        january february march april may june july august september october november december monday tuesday wednesday \
        thursday friday saturday sunday computer internet server database system network security access windows linux \
        ubuntu apple google facebook samsung naver kakao daum korea seoul busan maru company office work qwerty qwert \
        qwertyuiop qwertz azerty asdf asdfg asdfgh asdfghjkl zxcv zxcvb zxcvbn zxcvbnm qaz qazwsx wsx qazwsxedc \
        qweasd qweasdzxc abc abcd abcde abcdef abcdefg abcdefgh abcdefghij xyz aaa foobar foo bar \
        rlaclrl tkfkd tkfkdgo dkssud dkssudgktpdy qlalfqjsgh qlalf dnfl gksrnr eogksalsrnr tpdud \
        비밀번호 암호 사랑 사랑해 안녕 안녕하세요 대한민국 한국 서울 관리자
        """.split(separator: " ").map(String.init))
}

extension Password {
    /// Returns a new password if it follows the rule for passwords and is not a common one.
    static func uncommon(_ text: String) throws(Failure) -> String {
        let text = try checked(text)
        guard !CommonPasswords.contains(text) else {
            throw .invalid("The password is one of the most common ones. Choose another.")
        }
        return text
    }
}
