/// A queue with constant cost at both ends.
struct FIFO<Element>: Sequence {
    private var elements: [Element?] = []
    private var head = 0

    var count: Int { elements.count - head }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = elements[head].take()
        head += 1
        if head == elements.count {
            elements.removeAll(keepingCapacity: head <= 1024)
            head = 0
        } else if head >= 256 {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    /// Removes the first element that matches, in linear time.
    mutating func remove(where matches: (Element) -> Bool) {
        guard let index = elements[head...].firstIndex(where: { matches($0!) }) else { return }
        elements.remove(at: index)
    }

    /// Iterates from the oldest element.
    func makeIterator() -> some IteratorProtocol<Element> { elements[head...].lazy.map { $0! }.makeIterator() }

    var first: Element? { isEmpty ? nil : elements[head] }
}
