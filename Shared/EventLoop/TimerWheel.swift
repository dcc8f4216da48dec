/// Timers in slots by the time when they are due. Starting, moving and cancelling one costs the same with 100,000
/// timers.
///
/// A timer that is moved later keeps its slot and gets its new one when the old slot comes up. So a time-out that every
/// request postpones costs one store. A timer fires at most one tick late and never early.
struct TimerWheel {
    /// 4 ms for each slot and 2,048 slots: a revolution takes 8 s, and later timers stay for several revolutions.
    static let tick: UInt64 = 4_000_000
    static let slotCount = 2048

    private var slots: [[LoopTimer]] = Array(repeating: [], count: slotCount)
    /// One bit for each slot, set if the slot holds a timer.
    private var occupied: [UInt64] = Array(repeating: 0, count: slotCount / 64)
    private var currentTick: UInt64
    /// The timers that `takeDue` removes from their slots. Empty between calls; kept because thousands may be due at
    /// once, repeatedly.
    private var expired: [LoopTimer] = []
    private(set) var count = 0

    init(now: UInt64) { currentTick = now / Self.tick }

    mutating func insert(_ timer: LoopTimer) {
        let dueTick = max(Self.dueTick(of: timer.deadline), currentTick + 1)
        let slot = Int(dueTick % UInt64(Self.slotCount))
        timer.slot = slot
        timer.index = slots[slot].count
        slots[slot].append(timer)
        occupied[slot / 64] |= 1 << UInt64(slot % 64)
        count += 1
    }

    mutating func remove(_ timer: LoopTimer) {
        guard timer.slot >= 0 else {
            timer.slot = LoopTimer.absent
            return
        }
        let slot = timer.slot
        let last = slots[slot].removeLast()
        if last !== timer {
            slots[slot][timer.index] = last
            last.index = timer.index
        }
        if slots[slot].isEmpty { occupied[slot / 64] &= ~(1 << UInt64(slot % 64)) }
        timer.slot = LoopTimer.absent
        count -= 1
    }

    /// Changes the timer's deadline. A timer that is moved later keeps its slot.
    mutating func move(_ timer: LoopTimer, to deadline: UInt64) {
        if timer.slot >= 0 && deadline >= timer.deadline {
            timer.deadline = deadline
        } else {
            remove(timer)
            timer.deadline = deadline
            insert(timer)
        }
    }

    /// The time to wake next: the start of the nearest occupied slot; nil without timers.
    var nextDue: UInt64? {
        guard count > 0 else { return nil }
        let words = UInt64(occupied.count)
        let start = currentTick + 1
        // The first word may hold slots before `start`: they come up again one revolution later, in the last step.
        for step in 0...words {
            let base = (start / 64 + step) * 64
            var word = occupied[Int((base / 64) % words)]
            if step == 0 { word &= ~0 << (start % 64) }
            if step == words { word &= ~(~0 << (start % 64)) }
            if word != 0 { return (base + UInt64(word.trailingZeroBitCount)) * Self.tick }
        }
        return nil
    }

    /// Moves all timers that are due by `now` into `due` and marks them; the caller runs them.
    mutating func takeDue(upTo now: UInt64, into due: inout [LoopTimer]) {
        let target = now / Self.tick
        guard target > currentTick else { return }
        // After a long pause, one whole revolution covers every slot.
        let first = max(currentTick + 1, target - min(target, UInt64(Self.slotCount) - 1))
        currentTick = target
        guard count > 0 else { return }
        for tick in first...target {
            let slot = Int(tick % UInt64(Self.slotCount))
            guard occupied[slot / 64] & (1 << UInt64(slot % 64)) != 0 else { continue }
            for timer in slots[slot] where timer.deadline <= now || Self.slot(of: timer.deadline) != slot {
                expired.append(timer)
            }
        }
        for timer in expired {
            remove(timer)
            if timer.deadline > now {
                insert(timer)
            } else {
                timer.slot = LoopTimer.due
                due.append(timer)
            }
        }
        expired.removeAll(keepingCapacity: true)
    }

    private static func dueTick(of deadline: UInt64) -> UInt64 { (deadline + tick - 1) / tick }

    private static func slot(of deadline: UInt64) -> Int { Int(dueTick(of: deadline) % UInt64(slotCount)) }
}
