import Contract
import Crypto
import EventLoop
import ServiceKit
import Wire

/// The pictures of people.
///
/// The database knows every picture that no account has: an uploaded one from before its file is there until an account takes
/// it, a left one from the moment that it was left. So none stays behind, and none is removed that somebody has, whoever
/// fails or dies in between.
struct Portraits: Sendable {
    static let folder = "profiles"

    let files: any FileStore
    let unused: UnusedPortraitStore
    let profiles: Profiles
    let signal = WakeSignal()

    /// What waits for a change that nobody has brought to its end.
    private static let patrol = Duration.seconds(60)
    private static let batch = 100

    /// Gives a user an uploaded picture in place of theirs; without one theirs stays.
    func change(of user: UserID, to file: UploadedFile?) async throws -> Account {
        guard let file else { return try await profiles.change(user, ProfileChange()) }
        let path = try await keep(file)
        // Either this one or the one before is nobody's now.
        defer { signal.wake() }
        do {
            return try await profiles.change(user, ProfileChange(profileImage: path))
        } catch {
            // The change may have been made all the same; then this changes nothing.
            try? await unused.makeDue(path)
            throw error
        }
    }

    /// Removes pictures that nobody has, until cancelled.
    func sweep() async throws {
        guard let loop = EventLoop.current else { preconditionFailure("background work runs on a loop") }
        while true {
            while try await removeUnused() == Self.batch {}
            try await signal.sleep(atMost: Self.patrol, on: loop)
        }
    }

    /// Keeps an uploaded picture and returns its path.
    private func keep(_ file: UploadedFile) async throws -> String {
        guard let type = file.type, type.isImage else { throw Failure.invalid("The file is no picture.") }
        let name = "\(Self.folder)/\(Hexadecimal.encode(SecureRandom.bytes(16).span)).\(type.suffix)"
        let path = "/static/" + name
        try await unused.insert(path)
        try await files.keep(file.upload, as: name)
        return path
    }

    private func removeUnused() async throws -> Int {
        try await unused.takeDue(atMost: Self.batch) { paths in
            try await files.remove(paths.map { String($0.dropFirst("/static/".count)) })
        }
    }
}
