import Contract
import Wire

/// A page of the members of a room, with the decision about each of them and the devices that get a push.
struct PushPage: Sendable {
    /// A device that gets the push.
    struct Target: Sendable, Equatable {
        let device: String
        let user: UserID
        /// Nil for a device of an app without the native API, and if the badge could not be counted.
        let badge: Int32?
    }

    /// The user before the page; nil for the first page.
    let after: UserID?
    /// The decision about each member. The members with devices have none until `add`.
    private(set) var reasons: [UserID: PushReason] = [:]
    private(set) var targets: [Target] = []
    /// The text of the message when chat-service decided; nil if it was not asked.
    private(set) var content: String?
    /// The members that chat-service decides about, in order.
    let undecided: [UserID]
    /// The members among them with a device of an app with the native API.
    let withBadge: [UserID]
    private let devices: [(device: AuthClient.Device, isNative: Bool)]

    /// - Parameter isNative: whether a device is that of an app with the native API.
    init(
        after: UserID?, users: [UserID], present: Set<UserID>, devices: [AuthClient.Device],
        isNative: (AuthClient.Device) -> Bool
    ) {
        self.after = after
        self.devices = devices.map { ($0, isNative($0)) }
        let owners = Set(devices.map(\.user))
        undecided = users.filter { !present.contains($0) && owners.contains($0) }
        let native = Set(self.devices.lazy.filter(\.isNative).map(\.device.user))
        withBadge = undecided.filter(native.contains)
        for user in users where !owners.contains(user) || present.contains(user) {
            reasons[user] = present.contains(user) ? .present : .noDevice
        }
    }

    private init(reasons: [UserID: PushReason]) {
        self.init(after: nil, users: [], present: [], devices: []) { _ in false }
        self.reasons = reasons
    }

    /// The only page of a message that was too old when its job was taken.
    static let expired = PushPage(reasons: [UserID(0): .expired])

    /// Adds the decisions of chat-service.
    mutating func add(_ decisions: PushDecisionsReply) {
        content = decisions.content
        for group in decisions.groups {
            for user in group.users { reasons[user] = group.reason }
        }
        let badges = Dictionary(decisions.badges.map { ($0.user, $0.count) }) { first, _ in first }
        targets = devices.compactMap { device, isNative in
            guard reasons[device.user]?.isPush == true else { return nil }
            let badge = isNative ? badges[device.user].map { Int32(clamping: $0) } : nil
            return Target(device: device.token, user: device.user, badge: badge)
        }
    }
}
