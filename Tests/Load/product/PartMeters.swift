import LoadClient

/// Meters of the processes of the product, and of this one.
struct PartMeters {
    /// The CPU time of each part at a moment, in nanoseconds.
    struct Reading { fileprivate let times: [UInt64] }

    private let meters: [(name: String, meter: ProcessMeter)]

    init(_ meters: [(name: String, meter: ProcessMeter)]) { self.meters = meters }

    func read() -> Reading { Reading(times: meters.map { $0.meter.processorTime }) }

    func costs(since reading: Reading, seconds: Double) -> [LoadResult.Part] {
        zip(meters, reading.times).map { part, before in
            // The time of a child is rounded to a tick when it ends, so the sum can fall a little.
            let time = max(part.meter.processorTime, before) - before
            return LoadResult.Part(
                name: part.name, processor: Double(time) / 1e9 / seconds, anonymousBytes: part.meter.anonymousBytes)
        }
    }
}
