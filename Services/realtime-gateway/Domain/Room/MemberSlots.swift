/// Finds the members of a roster by their ids: a hash table of indices, which takes a third of a dictionary's memory because it
/// keeps no ids. A device is in many rooms.
///
/// The ids are those of the roster's array: each method is given a function that reads the id at an index.
struct MemberSlots {
    /// An index plus one; 0 for an empty slot. The number of slots is a power of two.
    private var slots: [Int32] = []
    private(set) var count = 0

    private static let leastSlots = 8

    func index(of id: MemberID, _ idAt: (Int) -> MemberID) -> Int? {
        find(id, idAt).map { Int(slots[$0]) - 1 }
    }

    /// Adds an id that is not there.
    mutating func insert(_ id: MemberID, at index: Int, _ idAt: (Int) -> MemberID) {
        if 4 * (count + 1) > 3 * slots.count { grow(idAt) }
        place(index, of: id)
        count += 1
    }

    /// Notes that an id has moved to another index.
    mutating func move(_ id: MemberID, to index: Int, _ idAt: (Int) -> MemberID) {
        if let slot = find(id, idAt) { slots[slot] = Int32(index + 1) }
    }

    /// Removes an id. The following ones close the gap, so that each is found from its own slot on.
    mutating func remove(_ id: MemberID, _ idAt: (Int) -> MemberID) {
        guard var gap = find(id, idAt) else { return }
        var slot = gap
        while true {
            slot = (slot + 1) & (slots.count - 1)
            guard slots[slot] != 0 else { break }
            let home = home(of: idAt(Int(slots[slot]) - 1))
            // It may stand in the gap if its home is not between the gap and its slot.
            if (slot - home) & (slots.count - 1) >= (slot - gap) & (slots.count - 1) {
                slots[gap] = slots[slot]
                gap = slot
            }
        }
        slots[gap] = 0
        count -= 1
    }

    private func home(of id: MemberID) -> Int {
        Int(truncatingIfNeeded: (id.rawValue &* 0x9E37_79B9_7F4A_7C15) >> 32) & (slots.count - 1)
    }

    private func find(_ id: MemberID, _ idAt: (Int) -> MemberID) -> Int? {
        guard count > 0 else { return nil }
        var slot = home(of: id)
        while slots[slot] != 0 {
            if idAt(Int(slots[slot]) - 1) == id { return slot }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    private mutating func place(_ index: Int, of id: MemberID) {
        var slot = home(of: id)
        while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = Int32(index + 1)
    }

    private mutating func grow(_ idAt: (Int) -> MemberID) {
        let old = slots
        slots = Array(repeating: 0, count: max(Self.leastSlots, 2 * old.count))
        for slot in old where slot != 0 { place(Int(slot) - 1, of: idAt(Int(slot) - 1)) }
    }
}
