import Foundation
import ServiceKit
import ServiceSupport
import Testing
import Wire

@testable import chat_service

@Suite("Default limits")
struct LimitDefaultTests {
    private static func settings() throws -> ChatSettings {
        let required = """
            clients_file = c
            service_credential = \(ServiceUnderTest.credential)
            database_url = d
            redis_url = r
            """
        return ChatSettings(try Config(Service.settings(of: "chat-service", ChatSettings.entries), file: required))
    }

    @Test(
        "Without settings there is no edit window, and there are 100 pins, 50 reactions, 500 drafts and 100 scheduled")
    func defaults() throws {
        let settings = try Self.settings()
        #expect(settings.changeLimits.editWindow == nil)
        #expect(settings.changeLimits.pins == 100)
        #expect(settings.changeLimits.reactions == 50)
        #expect(settings.limitOfDrafts == 500)
        #expect(settings.schedulingLimits.ofUser == 100)
        #expect(settings.schedulingLimits.ahead == .seconds(120 * 86_400))
        #expect(settings.here.timeout == .milliseconds(250))
        #expect(settings.here.perMinute == 10)
    }

    @Test("The page about messages names the settings of these limits with their defaults")
    func page() throws {
        let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let page = try String(contentsOfFile: "/\(root)/docs/messages.md", encoding: .utf8)
        for (setting, limit) in [
            ("edit_window", "none"), ("room_pins", "100"), ("message_reactions", "50"), ("user_drafts", "500"),
            ("user_scheduled", "100"), ("scheduled_ahead", "120 days"), ("scheduled_lease", "1 s"),
            ("here_timeout", "250 ms"), ("user_here", "10"),
        ] {
            #expect(page.contains("| `\(setting)` | \(limit) |"), "\(setting)")
        }
    }
}
