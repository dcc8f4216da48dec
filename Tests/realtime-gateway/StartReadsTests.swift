import Contract
import Testing
import Wire

@testable import realtime_gateway

@Suite("Reads of starts")
struct StartReadsTests {
    @Test("Users share a call up to its limit of channels, and a user with more has one alone")
    func parts() {
        let most = StartReads.channelsPerCall
        func parts(_ counts: [Int]) -> [[Int]] {
            let channel = MyRoomsRequest.Channel(id: ChannelID(1), workspace: WorkspaceID(1), name: "a")
            let users = counts.enumerated().map { number, count in
                StartsRequest.User(
                    id: UserID(Int64(number + 1)), channels: [MyRoomsRequest.Channel](repeating: channel, count: count))
            }
            return StartReads.parts(users).map { $0.map(\.channels.count) }
        }
        #expect(parts([]) == [])
        #expect(parts([0, 0]) == [[0, 0]])
        #expect(parts([most - 1, 1, 1]) == [[most - 1, 1], [1]])
        #expect(parts([1, most + 1, 0, 2]) == [[1], [most + 1], [0, 2]])
    }
}
