internal import Contract
public import HTTP
internal import Wire

extension Call {
    /// The reply with a stored file: all of it, a range, or 304 if the client already has it. The content of a path never
    /// changes.
    ///
    /// - Parameters:
    ///   - name: the name in the store.
    ///   - title: the file name that a browser offers when a user saves the file.
    public func file(_ name: String, in store: any FileStore, title: String? = nil) async throws -> Response {
        guard let reply = try await fileIfStored(name, in: store, title: title) else { throw Failure.notFound }
        return reply
    }

    /// The reply with a stored picture, or with its preview if the call asks for one by `?size=` and there is one.
    ///
    /// - Throws: E11 for another size, E13 if there is no such picture.
    public func picture(
        _ name: String, in store: any FileStore, title: String? = nil, hasPreviews: Bool = true
    ) async throws -> Response {
        if let text = try query("size") {
            guard let size = PreviewSize(rawValue: text) else { throw Failure.invalid("size must be small or medium.") }
            if hasPreviews, let preview = try await fileIfStored(size.storeName(of: name), in: store, title: nil) {
                return preview
            }
        }
        return try await file(name, in: store, title: title)
    }

    /// The same; nil if there is no such file.
    public func fileIfStored(_ name: String, in store: any FileStore, title: String?) async throws -> Response? {
        try await store.reply(to: request, with: name, title: title, followsRedirects: profile.isNative)
    }
}

extension InternalCall {
    /// The reply with a stored file, as for `Call`.
    public func file(_ name: String, in store: any FileStore, title: String? = nil) async throws -> Response {
        let reply = try await store.reply(to: request, with: name, title: title, followsRedirects: false)
        guard let reply else { throw Failure.notFound }
        return reply
    }
}

extension FileStore {
    /// - Parameter followsRedirects: false for shipped apps: none of them was made to follow a redirect with its headers.
    fileprivate func reply(
        to request: Request, with name: String, title: String?, followsRedirects: Bool
    ) async throws -> Response? {
        let (stem, suffix) = Self.parts(of: name)
        let type = FileType(suffix: suffix)
        let mediaType = type?.mediaType ?? "application/octet-stream"
        // A browser must not run a file: it shows pictures and saves everything else.
        let disposition = type?.isImage == true ? "inline" : "attachment"
        let titled = title.map { "; filename*=UTF-8''\(PercentEncoding.strict.encode($0))" } ?? ""
        // The URL is signed for GET alone.
        if followsRedirects, request.method != .head,
            let direct = try await directURL(of: name, type: mediaType, disposition: disposition + titled)
        {
            return Self.redirect(to: direct)
        }
        guard let stored = try await open(name) else { return nil }
        guard let tag = EntityTag(stem) else { throw Failure.notFound }
        var headers = Headers()
        headers.append(.cacheControl, "private, max-age=31536000, immutable")
        headers.append("X-Content-Type-Options", "nosniff")
        headers.append(.contentDisposition, disposition + titled)
        let reply = FileReply(stored.file, size: stored.size, type: mediaType, tag: tag)
        guard let response = reply.response(to: request, headers: headers) else {
            throw Failure(.invalidRequest, "The requested range is not within the file.", status: 416)
        }
        return response
    }

    /// A client may follow the same redirect again for half of its lifetime, so that no URL expires during a download.
    private static func redirect(to direct: DirectURL) -> Response {
        var headers = Headers()
        headers.append("Location", direct.url)
        headers.append(.cacheControl, "private, max-age=\(direct.lifetime.components.seconds / 2)")
        headers.append("Referrer-Policy", "no-referrer")
        return Response(.found, headers: headers)
    }

    /// The parts before and after the last dot, without the folder.
    private static func parts(of name: String) -> (stem: String, suffix: String) {
        let last = name.split(separator: "/").last ?? ""
        guard let dot = last.lastIndex(of: ".") else { return (String(last), "") }
        return (String(last[..<dot]), String(last[last.index(after: dot)...]))
    }
}
