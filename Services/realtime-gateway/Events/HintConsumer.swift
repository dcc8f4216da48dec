import Contract
import EventLoop
import Redis
import ServiceKit
import Wire

/// Consumes on every loop the hints that concern its sockets beside the rooms: history cursors, changes of access, changes
/// of users' own state, and blocks.
struct HintConsumer: Sendable {
    let shards: LoopLocal<GatewayShard>
    let subscriber: MessageSubscriber

    func start(on loops: EventLoopGroup) {
        for loop in loops.loops {
            loop.execute { [self] in
                let shard = shards.current
                _ = subscriber.listen(to: HistoryHint.self, on: loop) { event in
                    guard case .message(let hint) = event else { return }
                    shard.historyReported(hint.session, hint.room, hint.seq, leaving: hint.leftOut)
                }
                _ = subscriber.listen(to: UserStateHint.self, on: loop) { event in
                    guard case .message(let hint) = event else { return }
                    shard.userStateChanged(hint)
                }
                _ = subscriber.listen(to: BlockHint.self, on: loop) { event in
                    switch event {
                    case .message(let hint): shard.blockChanged(hint)
                    case .confirmed, .gap: shard.blocks.allMayHaveChanged()
                    case .lost: break
                    }
                }
                _ = subscriber.listen(to: AccessHint.self, on: loop) { event in
                    switch event {
                    case .message(let hint):
                        shard.accessChanged(user: hint.user, channel: hint.channel, workspace: hint.workspace)
                    case .gap: shard.accessUnknown()
                    case .confirmed, .lost: break
                    }
                }
            }
        }
    }
}
