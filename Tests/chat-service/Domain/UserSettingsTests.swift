import Contract
import Testing

@testable import chat_service

@Suite("Values of settings")
struct UserSettingsTests {
    @Test("A time of day has two digits of hours and minutes", arguments: ["00:00", "07:05", "22:30", "23:59"])
    func times(_ text: String) { #expect(QuietHours.TimeOfDay(text)?.text == text) }

    @Test(
        "Any other text is refused as a time of day",
        arguments: [
            "", "7:05", "24:00", "12:60", "12-30", "12:3", "12:300", " 1:00", "-1:00", "１２:00", "ab:cd", "12:00 ",
        ])
    func wrongTimes(_ text: String) { #expect(QuietHours.TimeOfDay(text) == nil) }

    @Test("Keywords are trimmed, and equal ones are kept once")
    func keywords() throws {
        #expect(try UserSettings.keywords([" 배포 ", "Release", "RELEASE", "배포"]) == ["배포", "Release"])
        for wrong in [[""], [" "], [String(repeating: "a", count: 51)], ["a\u{0}"], Array(repeating: "a", count: 21)] {
            #expect(throws: Failure.self) { try UserSettings.keywords(wrong) }
        }
    }
}
