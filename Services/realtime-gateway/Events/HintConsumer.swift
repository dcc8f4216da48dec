import Contract
import EventLoop
import Redis
import ServiceKit
import Wire

/// Consumes on every loop the hints that concern its sockets beside the rooms: history cursors, changes of access, of users'
/// own state, of private answers, of presence, of workspaces and profiles, and of blocks.
struct HintConsumer: Sendable {
    let shards: LoopLocal<GatewayShard>
    let subscriber: MessageSubscriber
    let starts: StartCache

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
                _ = subscriber.listen(to: PrivateAnswerHint.self, on: loop) { event in
                    guard case .message(let hint) = event else { return }
                    shard.commandAnswered(hint)
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
                    case .message(let hint): shard.accessChanged(hint)
                    // Sockets may have begun before Redis could be reached for the first time.
                    case .confirmed, .gap: shard.accessUnknown()
                    case .lost: break
                    }
                }
                consumeDirectory(shard, on: loop)
                consumePresence(shard, on: loop)
            }
        }
        // The starts are shared by all loops.
        let first = loops.loops[0]
        first.execute { [self] in
            _ = subscriber.listen(to: UserStateHint.self, on: first) { event in
                switch event {
                case .message: break
                case .confirmed, .gap: starts.become(live: true)
                case .lost: starts.become(live: false)
                }
            }
        }
    }

    private func consumeDirectory(_ shard: GatewayShard, on loop: EventLoop) {
        _ = subscriber.listen(to: DirectoryHint.self, on: loop) { event in
            switch event {
            case .message(let hint): shard.directoryChanged(hint)
            case .confirmed, .gap: shard.directoryUnknown()
            case .lost: break
            }
        }
        _ = subscriber.listen(to: ProfileVersion.self, on: loop) { event in
            if case .message(let profile) = event { shard.profileChanged(profile.user) }
        }
    }

    private func consumePresence(_ shard: GatewayShard, on loop: EventLoop) {
        _ = subscriber.listen(to: PresenceHint.self, on: loop) { event in
            switch event {
            case .message(let hint): shard.me.presence.told(hint)
            case .confirmed, .gap: shard.me.presence.hearAgain()
            case .lost: shard.me.presence.hearNothing()
            }
        }
        _ = subscriber.listen(to: BlockHint.self, on: loop) { event in
            switch event {
            case .message(let hint): shard.me.presence.blocksChanged(hint.user, hint.blocked)
            case .confirmed, .gap: shard.me.presence.accessUnknown()
            case .lost: break
            }
        }
    }
}
