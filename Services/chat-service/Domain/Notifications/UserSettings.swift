import Contract
import Wire

/// The settings of a user that hold on all devices.
struct UserSettings: Sendable, Equatable {
    /// Whether others see how far the user has read, and the user how far others have.
    var readReceipts = true
    /// Whether others see if the user is online.
    var presence = true
    /// Whether others see that the user is typing.
    var typing = true
    /// No message is pushed in these hours; nil for none.
    var doNotDisturb: QuietHours?
    /// A message with one of them is pushed like a mention.
    var keywords: [String] = []

    static let mostKeywords = 20
    private static let keywordLength = 1...50

    /// Trims keywords, and drops those that differ from an earlier one only in case or normalization.
    static func keywords(_ texts: [String]) throws(Failure) -> [String] {
        guard texts.count <= mostKeywords else { throw .invalid("There are too many keywords.") }
        var keys: Set<String> = []
        var kept: [String] = []
        for text in texts {
            let keyword = text.nfc.trimmed
            guard keyword.hasLength(in: keywordLength), !keyword.utf8.contains(0) else {
                throw .invalid("A keyword must have 1 to 50 characters.")
            }
            if keys.insert(keyword.caselessKey).inserted { kept.append(keyword) }
        }
        return kept
    }
}

extension String {
    /// The text without white space at its ends.
    fileprivate var trimmed: String {
        guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self[first...last])
    }
}
