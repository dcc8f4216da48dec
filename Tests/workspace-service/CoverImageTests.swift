import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import workspace_service

@Suite("Cover images", .serialized)
struct CoverImageTests {
    private func cover(_ reply: HTTPCall.Reply) throws -> String { try reply.json["coverImage"]?.string ?? "" }

    @Test("Editing removes the previous image, and deleting a workspace removes all its images")
    func discarding() async throws {
        try await WorkspaceHarness.use(["picture_retention": "0s"]) { harness in
            let id = try await harness.makeWorkspace()
            let first = harness.storedFiles
            let edited = try await harness.call("PUT", "/v1/workspaces/\(id)", form: Form(image: .png))
            let second = try cover(edited)
            try await eventually("the removal of the first image") {
                harness.storedFiles.map { "/static/" + $0 } == [second]
            }
            #expect(first.count == 1 && !first.contains(String(second.dropFirst("/static/".count))))

            let made = try await harness.call(
                "POST", "/v1/workspaces/\(id)/channels", form: Form(["name": "general"], image: .png))
            let path = "/v1/workspaces/\(id)/channels/\(try made.json["channel_id"]?.string ?? "")"
            let changed = try cover(try await harness.call("PUT", path, form: Form(image: .png)))
            try await eventually("the removal of the channel's first image") {
                Set(harness.storedFiles.map { "/static/" + $0 }) == [second, changed]
            }
            let other = try await harness.call(
                "POST", "/v1/workspaces/\(id)/channels", form: Form(["name": "other"], image: .png))
            _ = try await harness.call("DELETE", path)
            try await eventually("the removal of the deleted channel's image") {
                Set(harness.storedFiles.map { "/static/" + $0 }) == [second, try cover(other)]
            }
            _ = try await harness.call("DELETE", "/v1/workspaces/\(id)")
            // Their records are removed last.
            try await eventually("the removal of all images") {
                try await harness.sql("select count(*) from unused_cover") == "0" && harness.storedFiles.isEmpty
            }
        }
    }

    @Test("Members can load a replaced image for `picture_retention`; with the workspace it goes at once")
    func retention() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            try await harness.invite(2, to: id)
            let first = try cover(try await harness.call("GET", "/v1/workspaces/\(id)"))
            _ = try await harness.call("PUT", "/v1/workspaces/\(id)", form: Form(image: .png))
            let made = try await harness.call(
                "POST", "/v1/workspaces/\(id)/channels", form: Form(["name": "general"], image: .png))
            let channel = "/v1/workspaces/\(id)/channels/\(try made.json["channel_id"]?.string ?? "")"
            _ = try await harness.call("PUT", channel, form: Form(image: .png))
            #expect(harness.storedFiles.count == 4)
            for old in [first, try cover(made)] {
                let seen = try await harness.call("GET", "/v1" + old, user: 2)
                #expect(seen.status == 200)
                let outsider = try await harness.call("GET", "/v1" + old, user: 3)
                #expect(outsider.errorCode == "E13")
            }
            _ = try await harness.call("DELETE", channel)
            try await eventually("the removal of both images of the channel") { harness.storedFiles.count == 2 }
            let gone = try await harness.call("GET", "/v1" + (try cover(made)), user: 2)
            #expect(gone.errorCode == "E13")
            let kept = try await harness.call("GET", "/v1" + first, user: 2)
            #expect(kept.status == 200)
            _ = try await harness.call("DELETE", "/v1/workspaces/\(id)")
            try await eventually("the removal of all images") { harness.storedFiles.isEmpty }
        }
    }

    @Test("A18: other services read the covers of workspaces and channels, current and replaced, and no other file")
    func pieces() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            let first = try cover(try await harness.call("GET", "/v1/workspaces/\(id)"))
            let second = try cover(try await harness.call("PUT", "/v1/workspaces/\(id)", form: Form(image: .png)))
            let made = try await harness.call(
                "POST", "/v1/workspaces/\(id)/channels", form: Form(["name": "general"], image: .png))
            for path in [first, second, try cover(made)] {
                let reply = try await harness.ask("GET", "/internal/pictures/piece?path=\(path)")
                let bytes = try reply.json["bytes"]?.string.flatMap { Base64.decode($0.utf8.span, .standard) }
                #expect(bytes == Form.Image.png.bytes)
            }
            try harness.write("workspaces/a.png")
            for path in ["/static/workspaces/none.png", "/static/other/a.png", "/static/channels/../workspaces/a.png"] {
                #expect(try await harness.ask("GET", "/internal/pictures/piece?path=\(path)").status == 404, "\(path)")
            }
        }
    }

    @Test("A20: a locked-out member loads no image of a channel, current or replaced, but those of the workspace")
    func lockedOut() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            try await harness.invite(2, to: id)
            let path = "/v1/workspaces/\(id)"
            let oldOfWorkspace = try cover(try await harness.call("GET", path))
            let ofWorkspace = try cover(try await harness.call("PUT", path, form: Form(image: .png)))
            let made = try await harness.call(
                "POST", path + "/channels", form: Form(["name": "general"], image: .png))
            let channel = "\(path)/channels/\(try made.json["channel_id"]?.string ?? "")"
            let ofChannel = try cover(try await harness.call("PUT", channel, form: Form(image: .png)))
            func codes() async throws -> [String] {
                var codes: [String] = []
                for image in [oldOfWorkspace, ofWorkspace, try cover(made), ofChannel] {
                    let reply = try await harness.call("GET", "/v1" + image, user: 2)
                    codes.append(reply.status == 200 ? "ok" : reply.errorCode)
                }
                return codes
            }
            #expect(try await codes() == ["ok", "ok", "ok", "ok"])
            _ = try await harness.sql("update member set locked_out_at = 1 where user_id = 2")
            #expect(try await codes() == ["ok", "ok", "E13", "E13"])
        }
    }

    @Test("A refused edit keeps the old image and removes the new one")
    func refused() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            try await harness.invite(2, to: id)
            let before = harness.storedFiles
            for user in [2, 3] as [Int64] {
                let reply = try await harness.call("PUT", "/v1/workspaces/\(id)", user: user, form: Form(image: .png))
                #expect(["E13", "E14"].contains(reply.errorCode))
                let channel = try await harness.call(
                    "POST", "/v1/workspaces/\(id)/channels", user: 3, form: Form(["name": "x"], image: .png))
                #expect(channel.errorCode == "E13")
            }
            try await eventually("the removal of the new images") { harness.storedFiles == before }
        }
    }

    @Test("An image left behind by a crash is removed at start; an image in use stays")
    func abandoned() async throws {
        try await WorkspaceHarness.use { harness in
            try await harness.makeWorkspace()
            let kept = harness.storedFiles
            try harness.write("workspaces/abandoned.png")
            _ = try await harness.sql(
                "insert into unused_cover values ('/static/workspaces/abandoned.png', 0)")
            // A starting service sweeps immediately.
            try await harness.start()
            try await eventually("the removal of the abandoned image") { harness.storedFiles == kept }
        }
    }

    @Test(
        "Only members load an image; it is cached privately, cannot run as a script, and supports ranges"
    )
    func reading() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            try await harness.invite(2, to: id)
            let path = "/v1" + (try cover(try await harness.call("GET", "/v1/workspaces/\(id)")))
            let whole = try await harness.call("GET", path, user: 2)
            #expect(whole.status == 200)
            #expect(whole.body == Form.Image.png.bytes)
            #expect(whole.headers["content-type"] == "image/png")
            #expect(whole.headers["x-content-type-options"] == "nosniff")
            #expect(whole.headers["content-disposition"] == "inline")
            #expect(whole.headers["cache-control"]?.hasPrefix("private") == true)
            let tag = whole.headers["etag"] ?? ""
            let known = try await harness.call("GET", path, user: 2, key: "collabee", headers: [("If-None-Match", tag)])
            #expect(known.status == 304 && known.body.isEmpty)
            let part = try await harness.call("GET", path, user: 2, headers: [("Range", "bytes=1-3")])
            #expect(part.status == 206 && part.text == "PNG")
            let beyond = try await harness.call("GET", path, user: 2, key: "sooda", headers: [("Range", "bytes=9999-")])
            #expect(beyond.status == 400 && beyond.errorCode == "E11")
            // Membership is checked on each read, also when the client has the image.
            _ = try await harness.call("DELETE", "/v1/workspaces/\(id)/exit", user: 2)
            for headers in [[], [("If-None-Match", tag)]] {
                let gone = try await harness.call("GET", path, user: 2, headers: headers)
                #expect(gone.errorCode == "E13")
            }
        }
    }

    @Test("No path leaves the folders, and a file is refused unless its first bytes are those of an image")
    func names() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            for name in ["..%2f..%2fetc%2fpasswd", "%2e%2e", ".uploads", "w.png%00", "default.png"] {
                let reply = try await harness.call("GET", "/v1/static/workspaces/\(name)")
                #expect(["E11", "E13", "E97"].contains(reply.errorCode), "\(name): \(reply.text)")
            }
            let documents = [
                Array("%PDF-1.7 a document".utf8), Array("<svg xmlns=\"http://www.w3.org/2000/svg\"/>".utf8),
                Array("<html><script>".utf8), [0x7F, 0x45, 0x4C, 0x46],
            ]
            for bytes in documents {
                let form = Form(image: Form.Image(name: "a.png", bytes: bytes))
                let reply = try await harness.call("PUT", "/v1/workspaces/\(id)", form: form)
                #expect(reply.errorCode == "E11")
            }
            try await eventually("the cleanup") { harness.storedFiles.count == 1 }
        }
    }

    @Test("An image above the size limit is refused as invalid and leaves nothing behind")
    func size() async throws {
        try await WorkspaceHarness.use(["image_size": "64KB"]) { harness in
            let id = try await harness.makeWorkspace()
            let large = Form.Image(
                name: "a.png", bytes: Form.Image.png.bytes + Array(repeating: 0, count: 64 * 1024))
            for (key, status) in [("collatalk", 400), ("native", 413)] {
                let reply = try await harness.call("PUT", "/v1/workspaces/\(id)", key: key, form: Form(image: large))
                #expect(reply.errorCode == "E11")
                #expect(reply.status == status)
            }
            try await eventually("the cleanup") { harness.storedFiles.count == 1 }
        }
    }
}
