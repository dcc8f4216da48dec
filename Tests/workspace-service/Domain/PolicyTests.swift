import Contract
import Testing
import Wire

@testable import workspace_service

@Suite("Policy")
struct PolicyTests {
    /// The code of a refusal; empty where it is allowed.
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
        "A workspace does not exist for strangers, is seen by members and managed by its owner",
        arguments: [(Standing.stranger, "E13", "E13"), (.member, "", "E14"), (.owner, "", "")])
    func workspace(_ standing: Standing, seeing: String, managing: String) {
        #expect(code { () throws(Failure) in try Policy.see(standing) } == seeing)
        #expect(code { () throws(Failure) in try Policy.manage(standing) } == managing)
    }

    @Test(
        "Who owns the workspace or a channel in it hands over before leaving it",
        arguments: [
            (Standing.stranger, false, "E13"), (.stranger, true, "E13"), (.member, false, ""), (.member, true, "E15"),
            (.owner, false, "E15"), (.owner, true, "E15"),
        ])
    func leaving(_ standing: Standing, ownsChannels: Bool, expected: String) {
        #expect(code { () throws(Failure) in try Policy.leave(standing, ownsChannels: ownsChannels) } == expected)
    }

    @Test(
        "A channel is seen by the members of its workspace and managed by its own owner",
        arguments: [
            (ChannelStanding.stranger, "E13", "E13"), (.onlooker, "", "E14"), (.member, "", "E14"), (.owner, "", ""),
        ])
    func channel(_ standing: ChannelStanding, seeing: String, managing: String) {
        #expect(code { () throws(Failure) in try Policy.see(standing) } == seeing)
        #expect(code { () throws(Failure) in try Policy.manage(standing) } == managing)
    }

    @Test(
        "A channel is deleted by its owner, the default channel by nobody",
        arguments: [
            (ChannelStanding.stranger, "E13", "E13"), (.onlooker, "E14", "E14"), (.member, "E14", "E14"),
            (.owner, "", "E11"),
        ])
    func deleting(_ standing: ChannelStanding, expected: String, ofDefault: String) {
        #expect(code { () throws(Failure) in try Policy.delete(channel(isDefault: false), standing) } == expected)
        #expect(code { () throws(Failure) in try Policy.delete(channel(isDefault: true), standing) } == ofDefault)
    }

    @Test(
        "Members leave a channel, its owner not before handing over, and the default channel nobody",
        arguments: [
            (ChannelStanding.stranger, "E13", "E13"), (.onlooker, "E13", "E11"), (.member, "", "E11"),
            (.owner, "E15", "E11"),
        ])
    func leavingChannel(_ standing: ChannelStanding, expected: String, ofDefault: String) {
        #expect(code { () throws(Failure) in try Policy.leave(channel(isDefault: false), standing) } == expected)
        #expect(code { () throws(Failure) in try Policy.leave(channel(isDefault: true), standing) } == ofDefault)
    }

    @Test(
        "A workspace is handed over by its owner, to another of its members",
        arguments: [
            (Standing.owner, false, Standing.member, ""), (.owner, false, .stranger, "E13"),
            (.owner, true, .owner, "E11"),
            (.member, false, .member, "E14"), (.member, true, .member, "E14"), (.stranger, false, .member, "E13"),
        ])
    func handingOver(_ standing: Standing, toOneself: Bool, heir: Standing, expected: String) {
        #expect(
            code { () throws(Failure) in try Policy.handOver(standing, toOneself: toOneself, heir: heir) } == expected)
    }

    @Test(
        "A channel is handed over by its owner, to another of its members, the default channel by nobody",
        arguments: [
            (ChannelStanding.owner, false, ChannelStanding.member, "", "E11"), (.owner, true, .owner, "E11", "E11"),
            (.owner, false, .onlooker, "E13", "E11"), (.owner, false, .stranger, "E13", "E11"),
            (.member, false, .member, "E14", "E14"), (.onlooker, false, .member, "E14", "E14"),
            (.stranger, false, .member, "E13", "E13"),
        ])
    func handingOverChannel(
        _ standing: ChannelStanding, toOneself: Bool, heir: ChannelStanding, expected: String, ofDefault: String
    ) {
        for (isDefault, expected) in [(false, expected), (true, ofDefault)] {
            let code = code { () throws(Failure) in
                try Policy.handOver(channel(isDefault: isDefault), standing, toOneself: toOneself, heir: heir)
            }
            #expect(code == expected)
        }
    }
}
