import ServiceKit

/// A language that mails are written in.
enum MailLanguage: String, Sendable, CaseIterable {
    case korean = "ko"
    case english = "en"

    /// The first of our languages in a header `Accept-Language`, by its weights; nil if it names none.
    init?(acceptLanguage header: String?) {
        var best: (language: MailLanguage, weight: Double)?
        for range in (header ?? "").split(separator: ",").prefix(20) {
            let parts = range.split(separator: ";")
            guard let tag = parts.first?.filter({ $0 != " " }).lowercased() else { continue }
            let weight = parts.dropFirst().compactMap { part in
                let text = part.filter { $0 != " " }
                return text.hasPrefix("q=") ? Double(text.dropFirst(2)) : nil
            }.first
            let language = Self.allCases.first { tag == $0.rawValue || tag.hasPrefix($0.rawValue + "-") }
            guard let language, case let weight = weight ?? 1, weight > best?.weight ?? 0 else { continue }
            best = (language, weight)
        }
        guard let best else { return nil }
        self = best.language
    }
}

extension MailLanguage: ConfigValue {
    static let typeName = "ko or en"

    init?(configText: String) { self.init(rawValue: configText) }

    var configText: String { rawValue }
}
