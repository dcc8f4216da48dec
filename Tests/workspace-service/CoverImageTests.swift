import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import workspace_service

@Suite("Pictures", .serialized)
struct CoverTests {
    private func cover(_ reply: HTTPCall.Reply) throws -> String { try reply.json["coverImage"]?.string ?? "" }

    @Test("The picture before an edit goes, and all pictures of a workspace and its channels go with it")
    func discarding() async throws {
        try await WorkspaceHouse.use { house in
            let id = try await house.makeWorkspace()
            let first = house.storedFiles
            let edited = try await house.call("PUT", "/v1/workspaces/\(id)", form: Form(image: .png))
            let second = try cover(edited)
            try await eventually("the first to go") { house.storedFiles.map { "/static/" + $0 } == [second] }
            #expect(first.count == 1 && !first.contains(String(second.dropFirst("/static/".count))))

            let made = try await house.call(
                "POST", "/v1/workspaces/\(id)/channels", form: Form(["name": "general"], image: .png))
            let path = "/v1/workspaces/\(id)/channels/\(try made.json["channel_id"]?.string ?? "")"
            let changed = try cover(try await house.call("PUT", path, form: Form(image: .png)))
            try await eventually("the channel's first to go") {
                Set(house.storedFiles.map { "/static/" + $0 }) == [second, changed]
            }
            let other = try await house.call(
                "POST", "/v1/workspaces/\(id)/channels", form: Form(["name": "other"], image: .png))
            _ = try await house.call("DELETE", path)
            try await eventually("the deleted channel's to go") {
                Set(house.storedFiles.map { "/static/" + $0 }) == [second, try cover(other)]
            }
            _ = try await house.call("DELETE", "/v1/workspaces/\(id)")
            // The notes of them go last.
            try await eventually("all to go") {
                try await house.sql("select count(*) from unused_cover") == "0" && house.storedFiles.isEmpty
            }
        }
    }

    @Test("A refused edit keeps the old picture and drops the new one")
    func refused() async throws {
        try await WorkspaceHouse.use { house in
            let id = try await house.makeWorkspace()
            try await house.invite(2, to: id)
            let before = house.storedFiles
            for user in [2, 3] as [Int64] {
                let reply = try await house.call("PUT", "/v1/workspaces/\(id)", user: user, form: Form(image: .png))
                #expect(["E13", "E14"].contains(reply.errorCode))
                let channel = try await house.call(
                    "POST", "/v1/workspaces/\(id)/channels", user: 3, form: Form(["name": "x"], image: .png))
                #expect(channel.errorCode == "E13")
            }
            try await eventually("the new ones to go") { house.storedFiles == before }
        }
    }

    @Test("A picture whose upload nobody ended, because the service died, goes in time; one that is referred to stays")
    func abandoned() async throws {
        try await WorkspaceHouse.use { house in
            try await house.makeWorkspace()
            let kept = house.storedFiles
            try house.write("workspaces/abandoned.png")
            _ = try await house.sql(
                "insert into unused_cover values ('/static/workspaces/abandoned.png', now() - interval '1 second')")
            // A start looks at once.
            try await house.start()
            try await eventually("the abandoned one to go") { house.storedFiles == kept }
        }
    }

    @Test(
        "A picture is for members of its workspace, is never cached by others, cannot run, and comes in parts when asked"
    )
    func reading() async throws {
        try await WorkspaceHouse.use { house in
            let id = try await house.makeWorkspace()
            try await house.invite(2, to: id)
            let path = "/v1" + (try cover(try await house.call("GET", "/v1/workspaces/\(id)")))
            let whole = try await house.call("GET", path, user: 2)
            #expect(whole.status == 200)
            #expect(whole.body == Form.Picture.png.bytes)
            #expect(whole.headers["content-type"] == "image/png")
            #expect(whole.headers["x-content-type-options"] == "nosniff")
            #expect(whole.headers["content-disposition"] == "inline")
            #expect(whole.headers["cache-control"]?.hasPrefix("private") == true)
            let tag = whole.headers["etag"] ?? ""
            let known = try await house.call("GET", path, user: 2, key: "collabee", headers: [("If-None-Match", tag)])
            #expect(known.status == 304 && known.body.isEmpty)
            let part = try await house.call("GET", path, user: 2, headers: [("Range", "bytes=1-3")])
            #expect(part.status == 206 && part.text == "PNG")
            let beyond = try await house.call("GET", path, user: 2, key: "sooda", headers: [("Range", "bytes=9999-")])
            #expect(beyond.status == 400 && beyond.errorCode == "E11")
            // Membership is asked at each read, whether the client has the picture or not.
            _ = try await house.call("DELETE", "/v1/workspaces/\(id)/exit", user: 2)
            for headers in [[], [("If-None-Match", tag)]] {
                let gone = try await house.call("GET", path, user: 2, headers: headers)
                #expect(gone.errorCode == "E13")
            }
        }
    }

    @Test("No path leads out of the folders, and nothing is a picture that is none by its first bytes")
    func names() async throws {
        try await WorkspaceHouse.use { house in
            let id = try await house.makeWorkspace()
            for name in ["..%2f..%2fetc%2fpasswd", "%2e%2e", ".uploads", "w.png%00", "default.png"] {
                let reply = try await house.call("GET", "/v1/static/workspaces/\(name)")
                #expect(["E11", "E13", "E97"].contains(reply.errorCode), "\(name): \(reply.text)")
            }
            let documents = [
                Array("%PDF-1.7 a document".utf8), Array("<svg xmlns=\"http://www.w3.org/2000/svg\"/>".utf8),
                Array("<html><script>".utf8), [0x7F, 0x45, 0x4C, 0x46],
            ]
            for bytes in documents {
                let form = Form(image: Form.Picture(name: "a.png", bytes: bytes))
                let reply = try await house.call("PUT", "/v1/workspaces/\(id)", form: form)
                #expect(reply.errorCode == "E11")
            }
            try await eventually("clearing up") { house.storedFiles.count == 1 }
        }
    }

    @Test("A picture larger than the limit is refused as not valid, and leaves nothing")
    func size() async throws {
        try await WorkspaceHouse.use(["image_size": "64KB"]) { house in
            let id = try await house.makeWorkspace()
            let large = Form.Picture(
                name: "a.png", bytes: Form.Picture.png.bytes + Array(repeating: 0, count: 64 * 1024))
            for (key, status) in [("collatalk", 400), ("native", 413)] {
                let reply = try await house.call("PUT", "/v1/workspaces/\(id)", key: key, form: Form(image: large))
                #expect(reply.errorCode == "E11")
                #expect(reply.status == status)
            }
            try await eventually("clearing up") { house.storedFiles.count == 1 }
        }
    }
}
