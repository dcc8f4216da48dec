import Crypto
import Wire

/// Signs the links of exports. A link needs neither an API key nor a token, and names no user.
struct ExportLinks: Sendable {
    private let key: HMACSHA256

    /// - Parameter credential: the secret of the services; the key is derived from it.
    init(credential: String) {
        let derived = HMACSHA256(key: Array(credential.utf8).span).code(for: Array("export links 1".utf8).span)
        key = HMACSHA256(key: derived.span)
    }

    /// The link, which a client appends to its base URL and `/v1` like a path of a file.
    func url(of download: ExportDownload) -> String {
        let signature = Base64.encode(key.code(for: text(download).span).span, .url)
        return "/static/\(download.file)?expires=\(download.expiresAt.milliseconds)&signature=\(signature)"
    }

    /// Whether a link's signature is the one of the export as it is now.
    func isValid(_ signature: String, for download: ExportDownload) -> Bool {
        guard let code = Base64.decode(signature.utf8.span, .url) else { return false }
        return key.isValid(code.span, for: text(download).span)
    }

    private func text(_ download: ExportDownload) -> [UInt8] {
        Array(
            "\(download.file)\n\(download.account)\n\(download.credentials)\n\(download.expiresAt.milliseconds)".utf8)
    }
}
