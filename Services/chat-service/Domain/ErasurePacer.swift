/// The pauses between the batches of an erasure, in which sends have the database to themselves.
///
/// An erasure takes a small share of the time of a quiet database, and backs off from a busy one: a batch that takes longer
/// is followed by a longer pause. The longest pause keeps a large account within its minute.
struct ErasurePacer: Sendable, Equatable {
    var shortest = Duration.milliseconds(20)
    var longest = Duration.milliseconds(60)
    /// The pause after a batch, as a multiple of its time.
    var ratio = 3

    func pause(after took: Duration) -> Duration { min(max(took * ratio, shortest), longest) }
}
