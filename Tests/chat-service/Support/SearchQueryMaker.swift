import Search
import ServiceSupport
import TestSupport
import Wire

@testable import chat_service

/// Makes queries out of the messages of a model: parts of them, initial consonants, half-typed words, phrases, exclusions and
/// filters.
struct SearchQueryMaker {
    var random: SeededRandom
    private var unusual: UnusualText

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        unusual = UnusualText(seed: seed)
    }

    mutating func query(_ model: SearchModel) -> SearchModel.Query {
        var query = SearchModel.Query()
        let source = model.messages[Int.random(in: 0..<model.messages.count, using: &random)]
        for _ in 0..<Int.random(in: 1...2, using: &random) { add(word(of: source), isExcluded: false, to: &query) }
        if chance(5), let other = model.messages.randomElement(using: &random) {
            add(word(of: other), isExcluded: true, to: &query)
        }
        if chance(3) { addFilter(source, model, to: &query) }
        if query.words.allSatisfy(\.isExcluded) { add("회", isExcluded: false, to: &query) }
        return query
    }

    private mutating func word(of message: SearchModel.Message) -> String {
        let text = ([message.text] + message.files).randomElement(using: &random) ?? ""
        return text.isEmpty ? "" : unusual.part(of: text)
    }

    private mutating func add(_ part: String, isExcluded: Bool, to query: inout SearchModel.Query) {
        let sign = isExcluded ? "-" : ""
        if chance(3) {
            // A phrase has everything but quotes.
            let phrase = part.filter { !"\"“”".contains($0) }
            append(phrase, "\(sign)\"\(unusual.respelled(phrase))\"", isExcluded, isPhrase: true, to: &query)
            return
        }
        let words = part.split(whereSeparator: { $0.isWhitespace || "\"“”:".contains($0) })
        var word = words.max { $0.count < $1.count }.map { String($0) } ?? ""
        while word.first == "-" { word.removeFirst() }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: word = String(word.map(Self.initial))
        case 1: word = Self.halfTyped(word)
        default: break
        }
        append(word, sign + unusual.respelled(word), isExcluded, to: &query)
    }

    private func append(
        _ word: String, _ typed: String, _ isExcluded: Bool, isPhrase: Bool = false, to query: inout SearchModel.Query
    ) {
        guard !SearchText(word).scalars.isEmpty, query.text.count + typed.count < 190 else { return }
        query.words.append((word, isExcluded))
        query.typed.append(typed)
        query.wordBeingTyped = isExcluded || isPhrase ? nil : query.words.count - 1
    }

    private mutating func addFilter(
        _ source: SearchModel.Message, _ model: SearchModel, to query: inout SearchModel.Query
    ) {
        let isExcluded = chance(3)
        let sign = isExcluded ? "-" : ""
        defer { if query.typed.last?.contains(":") == true { query.wordBeingTyped = nil } }
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
            query.authors = ([source.author], isExcluded)
            let name = ["from:n\(source.author)", "보낸사람:\(source.author)", "from:@n\(source.author)"]
            query.typed.append(sign + (name.randomElement(using: &random) ?? ""))
        case 1:
            query.rooms = ([source.room], isExcluded)
            query.typed.append("\(sign)채널:\(source.room)")
        case 2:
            query.rooms = ([source.room], false)
            query.parameters = "&in=\(source.room)"
        case 3:
            let traits = [("link", "링크"), ("file", "파일"), ("image", "사진"), ("reaction", "반응")]
            let (name, korean) = traits.randomElement(using: &random) ?? ("link", "링크")
            query.trait = (name, isExcluded)
            query.typed.append(chance(2) ? "\(sign)has:\(name)" : "\(sign)포함:\(korean)")
        case 4:
            query.before = source.createdAt
            query.parameters = "&before=\(PercentEncoding.strict.encode(source.createdAt.description))"
        default:
            query.after = source.createdAt
            query.typed.append("이후:\(source.createdAt)")
        }
    }

    /// True once in `count` times.
    mutating func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

    private static func initial(_ character: Character) -> Character {
        guard let scalar = character.unicodeScalars.first?.value, (0xAC00...0xD7A3).contains(scalar) else {
            return character
        }
        return Array("ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ")[Int((scalar - 0xAC00) / 588)]
    }

    /// The word while its last syllable is being typed: its initial consonant, or an open syllable and its final consonant.
    private static func halfTyped(_ word: String) -> String {
        guard let last = word.last?.unicodeScalars.first?.value, (0xAC00...0xD7A3).contains(last), word.count > 1 else {
            return word
        }
        let final = (last - 0xAC00) % 28
        let finals = Array("ㄱㄲㄱㄴㄴㄴㄷㄹㄹㄹㄹㄹㄹㄹㄹㅁㅂㅂㅅㅆㅇㅈㅊㅋㅌㅍㅎ")
        if final == 0 { return String(word.dropLast()) + String(initial(word.last ?? " ")) }
        let open = Unicode.Scalar(last - final).map(Character.init) ?? " "
        return String(word.dropLast()) + String([open, finals[Int(final) - 1]])
    }
}
