extension Array where Element: Equatable {
    /// For each beginning, the length of the longest shorter one that it ends with. A search by Knuth, Morris and Pratt goes on
    /// from there after a mismatch, and so looks at each element of a text once.
    var borders: [Int] {
        var borders = [Int](repeating: 0, count: count)
        var length = 0
        for index in indices.dropFirst() {
            while length > 0, self[index] != self[length] { length = borders[length - 1] }
            if self[index] == self[length] { length += 1 }
            borders[index] = length
        }
        return borders
    }
}
