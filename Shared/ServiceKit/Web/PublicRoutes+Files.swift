internal import Contract
internal import HTTP
internal import Wire

extension PublicRoutes {
    /// Answers which of `paths`, all in one folder, a caller may read.
    public typealias FileAccess = @Sendable (_ paths: [String], Caller) async throws -> Set<String>

    /// Adds the routes of a folder of files: reading with an API key and a token, signing URLs, and reading by a signed URL
    /// without headers.
    ///
    /// - Parameters:
    ///   - readable: is asked before URLs are signed.
    ///   - read: serves the file of the path parameter `name`, if the caller may read it.
    public mutating func files(
        of folder: String, _ links: FileLinks, readable: @escaping FileAccess, _ read: @escaping SignedInHandler
    ) {
        let file = "/v1/static/\(folder)/{name}"
        signedIn(.get, file, read)
        keyless(.get, file) { call in
            let path = String(decoding: call.request.path.dropFirst("/v1".utf8.count), as: UTF8.self)
            let caller = try await links.caller(of: path) { name throws(Failure) in try call.query(name) }
            var response = try await read(call, caller)
            response.headers.append("Cross-Origin-Resource-Policy", "cross-origin")
            return response
        }
        signedIn(.post, "/v1/static/\(folder)/links", body: .text(Self.mostLinkBytes)) { call, caller in
            let asked = try await call.fields().texts("paths", atMost: Self.mostLinks)
            let paths = asked.filter { Self.isPath($0, in: folder) }
            let allowed = paths.isEmpty ? [] : try await readable(paths, caller)
            return call.reply { json in
                json.object { json in
                    json.array("links") { json in
                        for path in paths where allowed.contains(path) {
                            let link = links.link(to: path, for: caller)
                            json.object { json in
                                json.field("path", path)
                                json.field("url", link.url)
                                json.field("expiresAt", link.expires.description)
                            }
                        }
                    }
                }
            }
        }
    }

    /// URLs signed by one call: the files of twenty messages.
    private static var mostLinks: Int { 100 }
    /// A percent-encoded name can have 900 bytes.
    private static var mostLinkBytes: Int { 128 * 1024 }

    /// Whether it is the path of a file, as replies contain it, without a query.
    private static func isPath(_ path: String, in folder: String) -> Bool {
        let prefix = "/static/\(folder)/"
        return path.hasPrefix(prefix) && path.utf8.count > prefix.utf8.count
            && path.utf8.dropFirst(prefix.utf8.count).allSatisfy { byte in
                byte > 0x20 && byte < 0x7F && !"/?#\\\"".utf8.contains(byte)
            }
    }
}
