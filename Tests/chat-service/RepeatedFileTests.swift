import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Files of repeated sends", .serialized)
struct RepeatedFileTests {
    @Test("A repeated send has the previews of the pictures of its message, not those of the upload that is removed")
    func previews() async throws {
        try await ChatHarness.use { chat in
            // As if the program had made previews of each file.
            try await chat.database.database.run(
                sql: """
                    create function chat.preview() returns trigger language plpgsql as
                    'begin new.width := 4; new.height := 3; new.blur := ''LKO2''; return new; end';
                    create trigger preview before insert on chat.file for each row execute function chat.preview()
                    """)
            let first = try await chat.upload([.png], clientID: "a")
            let file = try #require(try first.json["files"]?[0]?.string, "\(first.text)")
            let again = try await chat.upload([.png], clientID: "a")
            for reply in [first, again] {
                #expect(reply.status == 201)
                #expect(try reply.json["files"]?[0]?.string == file)
                #expect(try reply.json["previews"]?[0]?["file"]?.string == file)
            }
        }
    }
}
