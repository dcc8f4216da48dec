import Contract
import Crypto
import ServiceKit
import Wire

/// What a client wants to say.
struct SendRequest: Sendable {
    let content: String
    let files: [UploadedFile]
    let clientID: String?

    static let mostFiles = 5
    /// Bytes of a body without its files: the longest content, also where its characters are of several parts, such as
    /// flags and families, and each half of each part is escaped.
    static let largestText = 1 << 20
    private static let longestContent = 10_000
    private static let longestClientID = 64

    /// Content, files or both; content counts in characters as a reader sees them.
    init(content: String?, files: [UploadedFile], clientID: String?) throws(Failure) {
        let content = content ?? ""
        guard !content.isEmpty || !files.isEmpty else { throw .invalid("A message needs content or a file.") }
        guard content.isEmpty || content.hasLength(in: 1...Self.longestContent) else {
            throw .tooLarge("The content is too long.")
        }
        guard files.count <= Self.mostFiles else { throw .invalid("There are too many files.") }
        if let clientID, !clientID.hasLength(in: 1...Self.longestClientID) {
            throw .invalid("A client_id has 1 to 64 characters.")
        }
        self.content = content
        self.files = files
        self.clientID = clientID
    }

    /// Stands for content and files, byte by byte; nil for what has no name.
    func digest(of fileDigests: [[UInt8]]) -> [UInt8]? {
        guard clientID != nil else { return nil }
        var hash = SHA256()
        hash.update(Array(content.utf8).span)
        for digest in fileDigests {
            // A digest never looks like text that goes on: no valid text holds this byte.
            hash.update([0xFF].span)
            hash.update(digest.span)
        }
        return hash.finalize()
    }
}
