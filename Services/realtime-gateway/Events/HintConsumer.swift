import Contract
import EventLoop
import Redis
import ServiceKit
import Wire

/// Passes hints to the hub of every loop: the ends of history replies, and changes of access.
struct HintConsumer: Sendable {
    let hubs: LoopLocal<LoopHub>
    let subscriber: MessageSubscriber

    func start(on loops: EventLoopGroup) {
        for loop in loops.loops {
            loop.execute { [self] in
                let hub = hubs.current
                _ = subscriber.listen(to: HistoryHint.self) { event in
                    if case .message(let hint) = event { hub.historyTold(hint.session, hint.room, hint.seq) }
                }
                _ = subscriber.listen(to: AccessHint.self) { event in
                    switch event {
                    case .message(let hint):
                        hub.accessChanged(user: hint.user, channel: hint.channel, workspace: hint.workspace)
                    case .gap: hub.accessUnknown()
                    case .confirmed, .lost: break
                    }
                }
            }
        }
    }
}
