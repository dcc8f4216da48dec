import Contract
import Testing
import Wire

@testable import workspace_service

@Suite("Policy")
struct PolicyTests {
    /// The error code of a refusal; empty if the action is allowed.
    private func code(_ body: () throws(Failure) -> Void) -> String {
        do {
            try body()
            return ""
        } catch {
            return error.code.rawValue
        }
    }

    private func channel(isDefault: Bool) -> Channel {
        Channel(
            id: ChannelID(1), workspace: WorkspaceID(1), name: "c", description: nil, image: nil, owner: UserID(1),
            isDefault: isDefault, createdAt: .now)
    }

    /// Each row: an action, and the error code for outsider, guest, member, admin and owner.
    private static let cells: [(WorkspaceAction, [String])] = [
        (.see, ["E13", "", "", "", ""]),
        (.seeEverybody, ["E13", "E14", "", "", ""]),
        (.joinChannels, ["E13", "E14", "", "", ""]),
        (.createChannels, ["E13", "E14", "", "", ""]),
        (.invite, ["E13", "E14", "E14", "", ""]),
        (.manageChannels, ["E13", "E14", "E14", "", ""]),
        (.setRoles, ["E13", "E14", "E14", "", ""]),
        (.removeMembers, ["E13", "E14", "E14", "", ""]),
        (.moderate, ["E13", "E14", "E14", "", ""]),
        (.readAudit, ["E13", "E14", "E14", "", ""]),
        (.manageBots, ["E13", "E14", "E14", "", ""]),
        (.edit, ["E13", "E14", "E14", "", ""]),
        (.changeSettings, ["E13", "E14", "E14", "E14", ""]),
        (.transfer, ["E13", "E14", "E14", "E14", ""]),
        (.delete, ["E13", "E14", "E14", "E14", ""]),
    ]

    @Test("A8: each action answers each role as its cell says")
    func table() {
        #expect(Self.cells.map(\.0) == WorkspaceAction.allCases)
        #expect(Set(Policy.table.keys) == Set(WorkspaceAction.allCases))
        for (action, codes) in Self.cells {
            for (role, expected) in zip(WorkspaceRole.allCases, codes) {
                #expect(
                    code { () throws(Failure) in try Policy.require(action, of: role) } == expected,
                    "\(role) \(action)")
            }
        }
    }

    @Test("A role may manage all members with lower roles")
    func ranks() {
        let roles: [WorkspaceRole] = [.guest, .member, .admin, .owner]
        for actor in roles {
            for member in roles {
                let removal = code { () throws(Failure) in try Policy.remove(actor, oneself: false, member) }
                let ban = code { () throws(Failure) in try Policy.ban(actor, oneself: false, member) }
                let mayAct = actor >= .admin && member < actor
                #expect(removal == (mayAct ? "" : "E14") && ban == removal, "\(actor) removes \(member)")
                for new in WorkspaceRole.assignable {
                    let change = code { () throws(Failure) in
                        try Policy.setRole(actor, oneself: false, member, to: new, ownsChannels: false)
                    }
                    #expect(change == (mayAct && new < actor ? "" : "E14"), "\(actor) makes \(member) \(new)")
                }
            }
        }
        #expect(
            code { () throws(Failure) in
                try Policy.setRole(.owner, oneself: false, .member, to: .guest, ownsChannels: true)
            } == "E15")
        #expect(code { () throws(Failure) in try Policy.remove(.admin, oneself: true, .admin) } == "E15")
        #expect(code { () throws(Failure) in try Policy.ban(.admin, oneself: false, .outsider) } == "")
    }

    @Test(
        "A guest sees the channels that they are in, and no others",
        arguments: [
            (WorkspaceRole.guest, false, ChannelRole.outsider), (.guest, true, .member), (.member, false, .observer),
            (.admin, false, .observer), (.outsider, false, .outsider),
        ])
    func places(_ role: WorkspaceRole, isMember: Bool, expected: ChannelRole) {
        #expect(RoleInChannel(role, isOwner: false, isMember: isMember).role == expected)
    }

    @Test(
        "An owner of the workspace or of a channel in it cannot leave it",
        arguments: [
            (WorkspaceRole.outsider, false, "E13"), (.outsider, true, "E13"), (.member, false, ""),
            (.member, true, "E15"),
            (.owner, false, "E15"), (.owner, true, "E15"),
        ])
    func leaving(_ role: WorkspaceRole, ownsChannels: Bool, expected: String) {
        #expect(code { () throws(Failure) in try Policy.leave(role, ownsChannels: ownsChannels) } == expected)
    }

    @Test(
        "Members of the workspace may see a channel, its owner may manage it",
        arguments: [
            (ChannelRole.outsider, "E13", "E13"), (.observer, "", "E14"), (.member, "", "E14"), (.owner, "", ""),
        ])
    func channel(_ role: ChannelRole, seeing: String, managing: String) {
        #expect(code { () throws(Failure) in try Policy.see(role) } == seeing)
        #expect(code { () throws(Failure) in try Policy.manage(role) } == managing)
    }

    @Test("A refusal in a channel names its owner, because another role in the workspace does not help")
    func refusalInChannel() {
        #expect(throws: Failure(.notAllowed, "Only the owner of the channel may do this.")) {
            try Policy.manage(.member)
        }
        #expect(
            throws: Failure(
                .notAllowed, "Only the owner of the channel, the owner of the workspace and its admins may do this.")
        ) {
            try Policy.manage(.member, in: .member)
        }
    }

    @Test(
        "The owners of a channel and of its workspace may delete the channel, except the default channel",
        arguments: [
            (ChannelRole.outsider, WorkspaceRole.outsider, "E13", "E13"), (.observer, .member, "E14", "E14"),
            (.member, .member, "E14", "E14"), (.owner, .member, "", "E11"), (.observer, .owner, "", "E11"),
            (.member, .owner, "", "E11"), (.owner, .owner, "", "E11"), (.observer, .admin, "", "E11"),
            (.member, .guest, "E14", "E14"), (.outsider, .guest, "E13", "E13"),
        ])
    func deleting(_ role: ChannelRole, _ workspace: WorkspaceRole, expected: String, ofDefault: String) {
        for (isDefault, expected) in [(false, expected), (true, ofDefault)] {
            let code = code { () throws(Failure) in
                try Policy.delete(channel(isDefault: isDefault), role, in: workspace)
            }
            #expect(code == expected)
        }
    }

    @Test(
        "Members may create channels up to the limits of the workspace and of the owner",
        arguments: [
            (WorkspaceRole.outsider, 1, 0, "E13"), (.member, 1, 0, ""), (.owner, 9, 4, ""), (.member, 10, 0, "E11"),
            (.owner, 9, 5, "E11"),
        ])
    func creating(_ role: WorkspaceRole, ofWorkspace: Int, ofOwner: Int, expected: String) {
        let counts = ChannelCounts(ofWorkspace: ofWorkspace, ofOwner: ofOwner)
        let limits = ChannelLimits(ofWorkspace: 10, ofOwner: 5)
        #expect(code { () throws(Failure) in try Policy.createChannel(role, counts, limits) } == expected)
    }

    @Test(
        "Members may leave a channel, except its owner, and except the default channel, which guests may leave",
        arguments: [
            (ChannelRole.outsider, "E13", "E13"), (.observer, "E13", "E11"), (.member, "", "E11"),
            (.owner, "E15", "E11"),
        ])
    func leavingChannel(_ role: ChannelRole, expected: String, ofDefault: String) {
        for (isGuest, isDefault, expected) in [
            (false, false, expected), (false, true, ofDefault), (true, false, expected), (true, true, expected),
        ] {
            let code = code { () throws(Failure) in
                try Policy.leave(channel(isDefault: isDefault), RoleInChannel(role: role, isGuest: isGuest))
            }
            #expect(code == expected)
        }
    }

    @Test(
        "The owner may transfer a workspace to another member",
        arguments: [
            (WorkspaceRole.owner, false, WorkspaceRole.member, ""), (.owner, false, .outsider, "E13"),
            (.owner, true, .owner, "E11"), (.owner, false, .guest, "E11"), (.admin, false, .member, "E14"),
            (.member, false, .member, "E14"), (.member, true, .member, "E14"), (.outsider, false, .member, "E13"),
        ])
    func transferring(_ role: WorkspaceRole, toOneself: Bool, newOwner: WorkspaceRole, expected: String) {
        #expect(
            code { () throws(Failure) in try Policy.transfer(role, toOneself: toOneself, newOwner: newOwner) }
                == expected)
    }

    @Test(
        "The owner may transfer a channel to another of its members, except the default channel",
        arguments: [
            (ChannelRole.owner, false, ChannelRole.member, "", "E11"), (.owner, true, .owner, "E11", "E11"),
            (.owner, false, .observer, "E13", "E11"), (.owner, false, .outsider, "E13", "E11"),
            (.member, false, .member, "E14", "E14"), (.observer, false, .member, "E14", "E14"),
            (.outsider, false, .member, "E13", "E13"),
        ])
    func transferringChannel(
        _ role: ChannelRole, toOneself: Bool, newOwner: ChannelRole, expected: String, ofDefault: String
    ) {
        for (isDefault, expected) in [(false, expected), (true, ofDefault)] {
            let code = code { () throws(Failure) in
                try Policy.transfer(
                    channel(isDefault: isDefault), role, toOneself: toOneself, newOwner: RoleInChannel(role: newOwner))
            }
            #expect(code == expected)
        }
    }
}
