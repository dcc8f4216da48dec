import ServiceKit
import Wire

/// The pictures of people.
struct Portraits: Sendable {
    static let folder = "profiles"

    let pictures: Pictures
    let profiles: Profiles

    /// Gives a user an uploaded picture in place of theirs; without one theirs stays.
    func change(of user: UserID, to file: UploadedFile?) async throws -> Account {
        try await pictures.keeping(file, in: Self.folder) { path in
            try await profiles.change(user, ProfileChange(profileImage: path))
        }
    }
}
