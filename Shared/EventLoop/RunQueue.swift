/// Work that waits for the loop, in two alternating arrays: one fills while the other one runs. Both keep their memory.
struct RunQueue<Element> {
    private var waiting: [Element] = []
    private var running: [Element] = []

    var isEmpty: Bool { waiting.isEmpty }

    mutating func append(_ element: Element) { waiting.append(element) }

    /// Moves all of `elements` to the end of the queue.
    mutating func append(takingFrom elements: inout [Element]) {
        waiting.append(contentsOf: elements)
        elements.removeAll(keepingCapacity: true)
    }

    /// Returns everything that waits. Elements that are appended from now on belong to the next batch.
    mutating func takeBatch() -> [Element] {
        swap(&waiting, &running)
        return running
    }

    /// Frees the batch; call it when the batch has run.
    mutating func endBatch() { running.removeAll(keepingCapacity: true) }
}
