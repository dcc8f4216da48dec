extension Array where Element: Hashable {
    /// The first of equal elements, in their order.
    public var withoutRepeats: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
