internal import Contract
internal import Crypto
public import Wire

/// Signs URLs of files for pages of other origins: a browser loads an `<img>` without an API key and a token.
///
/// A URL names the file, the user and the session, and expires. Its holder reads the file as that user: the user
/// must still be allowed to, and the session must not have ended.
public struct FileLinks: Sendable {
    /// A signed URL, which a client appends to its base URL and `/v1` like a path of a file.
    public struct Link: Sendable {
        public let url: String
        public let expires: Timestamp
    }

    private let key: HMACSHA256
    private let lifetime: Duration
    private let revocations: Revocations

    /// - Parameters:
    ///   - credential: the secret of the services; the key is derived from it, so that a code has no other meaning.
    ///   - lifetime: how long a URL is valid; at most as long as revocations are remembered.
    init(credential: String, lifetime: Duration, revocations: Revocations) {
        let derived = HMACSHA256(key: Array(credential.utf8).span).code(for: Array("file links 1".utf8).span)
        key = HMACSHA256(key: derived.span)
        self.lifetime = lifetime
        self.revocations = revocations
    }

    /// The URL of the file at `path`, which begins with `/static/`, for a caller with access to it.
    public func link(to path: String, for caller: Caller, at now: Timestamp = .now) -> Link {
        let expires = now + lifetime
        let code = Base64.encode(code(path, caller, expires.milliseconds).span, .url)
        let query = "?user=\(caller.user)&session=\(caller.session)&expires=\(expires.milliseconds)&signature=\(code)"
        return Link(url: path + query, expires: expires)
    }

    /// The caller for whom a URL was signed.
    ///
    /// - Parameters:
    ///   - path: the path of the file, which begins with `/static/`.
    ///   - query: reads a parameter of the URL.
    /// - Throws: `Failure` E01 for a URL without a signature, which is a call without an API key; E02 for a wrong one, and
    ///   E05 after its time or the end of its session.
    func caller(of path: String, _ query: (String) throws(Failure) -> String?) async throws -> Caller {
        guard let signature = try query("signature") else {
            throw Failure(.unknownKey, "The API key is missing or unknown.")
        }
        guard let user = try query("user").flatMap({ UserID($0) }),
            let session = try query("session").flatMap({ SessionID($0) }),
            let expires = try query("expires").flatMap({ Int64($0) }),
            let code = Base64.decode(signature.utf8.span, .url)
        else { throw Self.invalid }
        let caller = Caller(user: user, session: session)
        let expected = self.code(path, caller, expires)
        guard ConstantTime.areEqual(expected.span, code.span) else { throw Self.invalid }
        try await revocations.requireKnowledge()
        guard Timestamp.now.milliseconds < expires, !revocations.contains(session) else {
            throw Failure(.expiredToken, "The URL has expired.")
        }
        return caller
    }

    private static let invalid = Failure(.invalidToken, "The URL is not valid.")

    private func code(_ path: String, _ caller: Caller, _ expires: Int64) -> [UInt8] {
        key.code(for: Array("\(path)\n\(caller.user)\n\(caller.session)\n\(expires)".utf8).span)
    }
}
