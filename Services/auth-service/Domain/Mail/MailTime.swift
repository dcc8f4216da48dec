import Wire

/// The form of a moment in a mail: `2026-11-23 18:45 UTC`, for Korean readers in their time.
enum MailTime {
    private static let koreanOffset = Duration.seconds(9 * 3600)

    static func text(of moment: Timestamp, in language: MailLanguage) -> String {
        let isKorean = language == .korean
        let text = (isKorean ? moment + koreanOffset : moment).description
        let minutes = text.prefix(16).map { $0 == "T" ? " " : String($0) }.joined()
        return minutes + (isKorean ? " (한국 시간)" : " UTC")
    }
}
