import Contract
import Crypto
import ServiceKit
import Wire

/// The pictures of people.
struct Portraits: Sendable {
    static let folder = "profiles"

    let files: any FileStore

    /// Keeps an uploaded picture and returns its path.
    func keep(_ file: UploadedFile) async throws -> String {
        guard let type = file.type, type.isImage else { throw Failure.invalid("The file is no picture.") }
        let name = "\(Self.folder)/\(Hexadecimal.encode(SecureRandom.bytes(16).span)).\(type.suffix)"
        try await files.keep(file.upload, as: name)
        return "/static/" + name
    }

    /// Forgets a picture that nobody has any more.
    func discard(_ path: String?) async {
        guard let path else { return }
        try? await files.remove([String(path.dropFirst("/static/".count))])
    }
}
