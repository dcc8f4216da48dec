import Contract
import Crypto
import ServiceKit
import Wire

/// The pictures of people.
struct Portraits: Sendable {
    static let folder = "profiles"

    let files: any FileStore
    let profiles: Profiles

    /// Gives a user an uploaded picture in place of theirs; without one theirs stays.
    func change(of user: UserID, to file: UploadedFile?) async throws -> Account {
        guard let file else { return try await profiles.change(user, ProfileChange()) }
        let former = try await profiles.store.find(user)?.profileImage
        let path = try await keep(file)
        do {
            let account = try await profiles.change(user, ProfileChange(profileImage: path))
            await discard(former)
            return account
        } catch {
            await discard(path)
            throw error
        }
    }

    /// Keeps an uploaded picture and returns its path.
    private func keep(_ file: UploadedFile) async throws -> String {
        guard let type = file.type, type.isImage else { throw Failure.invalid("The file is no picture.") }
        let name = "\(Self.folder)/\(Hexadecimal.encode(SecureRandom.bytes(16).span)).\(type.suffix)"
        try await files.keep(file.upload, as: name)
        return "/static/" + name
    }

    /// Forgets a picture that nobody has any more.
    private func discard(_ path: String?) async {
        guard let path else { return }
        try? await files.remove([String(path.dropFirst("/static/".count))])
    }
}
