public import Wire

extension UserID {
    /// The system, as the owner of objects without a user as owner. No account has this id.
    public static let system = UserID(0)
}

/// A user's profile as other users see it: an author, a member, or the other user of a DM.
public struct MemberView: View, Equatable {
    public let id: UserID
    public let email: String
    public let nickname: String
    /// A path that begins with `/static/`.
    public let profileImage: String?
    /// Whether it is a program of a workspace and not a person. Only native clients are told.
    public let isBot: Bool

    public init(id: UserID, email: String, nickname: String, profileImage: String?, isBot: Bool = false) {
        self.id = id
        self.email = email
        self.nickname = nickname
        self.profileImage = profileImage
        self.isBot = isBot
    }

    public func write(to json: inout JSONWriter, for profile: ClientProfile) {
        json.object { json in writeMembers(to: &json, for: profile) }
    }

    /// Appends the members of the object without its braces, for an event that adds others.
    public func writeMembers(to json: inout JSONWriter, for profile: ClientProfile) {
        json.field("user_id", id, for: profile)
        json.field("email", email)
        json.field("nickname", nickname)
        json.field("profileImage", profileImage)
        if isBot, profile.isNative { json.field("bot", true) }
    }
}

extension MemberView {
    static let members: [Schema.Member] = [
        .has("user_id", .id), .has("email", .text), .has("nickname", .text), .has("profileImage", .optional(.path)),
        .may("bot", .flag, "Whether messages come from a program.").only(.native),
    ]

    /// The form of `write` in the reference.
    public static let entity = Schema.Entity("Member", "A user as others see them.", members)
}
