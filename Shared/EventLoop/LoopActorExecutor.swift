/// The `SerialExecutor` of a loop, for actors that live on it: give it out as their `unownedExecutor`.
///
/// It is a thing of its own because a job does not tell whether it came for an actor or for a task that prefers
/// the loop, and the two are run differently.
///
/// - Note: `@unchecked Sendable` because `loop` is set once, by the loop that owns this,
///   before anybody else sees either.
public final class LoopActorExecutor: SerialExecutor, @unchecked Sendable {
    unowned var loop: EventLoop!

    public func enqueue(_ job: consuming ExecutorJob) { loop.enqueue(UnownedJob(job), isActors: true) }

    public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    public func checkIsolated() { loop.preconditionInLoop() }

    public func isIsolatingCurrentContext() -> Bool? { loop.isCurrent }
}
