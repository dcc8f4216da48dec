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

    @Test(
        "Outsiders get E13 for a workspace, members may see it, its owner may manage it",
        arguments: [(WorkspaceRole.outsider, "E13", "E13"), (.member, "", "E14"), (.owner, "", "")])
    func workspace(_ role: WorkspaceRole, seeing: String, managing: String) {
        #expect(code { () throws(Failure) in try Policy.see(role) } == seeing)
        #expect(code { () throws(Failure) in try Policy.manage(role) } == managing)
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

    @Test(
        "The owners of a channel and of its workspace may delete the channel, except the default channel",
        arguments: [
            (ChannelRole.outsider, WorkspaceRole.outsider, "E13", "E13"), (.observer, .member, "E14", "E14"),
            (.member, .member, "E14", "E14"), (.owner, .member, "", "E11"), (.observer, .owner, "", "E11"),
            (.member, .owner, "", "E11"), (.owner, .owner, "", "E11"),
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
        "Members may leave a channel, except its owner, and except the default channel",
        arguments: [
            (ChannelRole.outsider, "E13", "E13"), (.observer, "E13", "E11"), (.member, "", "E11"),
            (.owner, "E15", "E11"),
        ])
    func leavingChannel(_ role: ChannelRole, expected: String, ofDefault: String) {
        #expect(code { () throws(Failure) in try Policy.leave(channel(isDefault: false), role) } == expected)
        #expect(code { () throws(Failure) in try Policy.leave(channel(isDefault: true), role) } == ofDefault)
    }

    @Test(
        "The owner may transfer a workspace to another member",
        arguments: [
            (WorkspaceRole.owner, false, WorkspaceRole.member, ""), (.owner, false, .outsider, "E13"),
            (.owner, true, .owner, "E11"),
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
                try Policy.transfer(channel(isDefault: isDefault), role, toOneself: toOneself, newOwner: newOwner)
            }
            #expect(code == expected)
        }
    }
}
