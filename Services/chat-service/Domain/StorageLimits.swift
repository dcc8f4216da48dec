import Contract

/// The size limits of all files of a user and of a workspace, in bytes.
struct StorageLimits: Sendable {
    let ofUser: Int64
    let ofWorkspace: Int64

    /// Throws if the files of a user or workspace exceed the limit.
    func check(ofUser user: Int64, ofWorkspace workspace: Int64) throws(Failure) {
        guard user <= ofUser else { throw .tooLarge("You would exceed your storage limit.") }
        guard workspace <= ofWorkspace else { throw .tooLarge("The workspace would exceed its storage limit.") }
    }
}
