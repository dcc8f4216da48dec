import ServiceKit
import Wire

/// Users' profile images.
struct ProfileImages: Sendable {
    static let folder = "profiles"

    let pictures: Pictures
    let profiles: Profiles

    /// Replaces a user's profile image with an uploaded file; without a file the image stays.
    func change(of user: UserID, to file: UploadedFile?) async throws -> Account {
        try await pictures.keeping(file, in: Self.folder) { path in
            try await profiles.change(user, ProfileChange(profileImage: path))
        }
    }
}
