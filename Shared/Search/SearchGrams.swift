/// The short pieces of a text under which the index finds it: single scalars, pairs, and pairs of initial consonants.
///
/// A gram is hashed together with its workspace to 32 bits, so that workspaces share an index and hardly ever an entry of it.
/// If two grams have one hash, the index offers a text that does not match, and the text itself is checked afterwards. It
/// never hides one: the grams that a pattern requires are among the grams of each text that it matches. Longer hashes would
/// only make the index larger.
public struct SearchGrams: Sendable {
    /// The workspace of the texts and queries.
    public let workspace: Int64

    public init(workspace: Int64) {
        self.workspace = workspace
    }

    /// A property of a message beside its text. It has a gram, so that the index intersects it with the words of a query.
    public enum Property: Hashable, Sendable {
        case author(Int64)
        case channel(Int64)
        case dm(Int64)
        /// A number that the caller has chosen for the trait.
        case trait(Int64)
    }

    /// Returns the gram of a property.
    public func gram(of property: Property) -> Int32 {
        let (kind, value): (UInt64, Int64) =
            switch property {
            case .author(let id): (5, id)
            case .channel(let id): (6, id)
            case .dm(let id): (7, id)
            case .trait(let number): (8, number)
            }
        return hash(mix(UInt64(bitPattern: value)) ^ kind << 42)
    }

    /// Returns the grams of a text, each once, in ascending order.
    public func all(of text: SearchText) -> [Int32] {
        var grams: Set<Int32> = []
        grams.reserveCapacity(text.scalars.count * 3)
        var previous: UInt32?
        for scalar in text.scalars {
            guard scalar != SearchText.space else {
                previous = nil
                continue
            }
            grams.insert(hash(.single, scalar, 0))
            if let previous {
                grams.insert(hash(.pair, previous, scalar))
                if let first = Hangul.initial(of: previous), let second = Hangul.initial(of: scalar) {
                    grams.insert(hash(.initials, first, second))
                }
            }
            previous = scalar
        }
        return grams.sorted()
    }

    /// Returns the grams that every text with this pattern has, the rarest kind first: pairs, pairs of initial consonants, single
    /// scalars. It is empty for a single consonant, which nearly every Korean
    /// text contains as an initial: such a query walks the newest texts instead.
    public func required(by pattern: SearchPattern) -> [Int32] {
        let scalars = pattern.scalars
        var (pairs, initials, singles): (Set<Int32>, Set<Int32>, Set<Int32>) = ([], [], [])
        var isInPair = [Bool](repeating: false, count: scalars.count)
        for index in scalars.indices.dropFirst() {
            let (first, second) = (scalars[index - 1], scalars[index])
            guard first != SearchText.space, second != SearchText.space else { continue }
            if isExact(first), isExact(second) {
                pairs.insert(hash(.pair, first, second))
                isInPair[index - 1] = true
                isInPair[index] = true
            } else if let left = Hangul.initial(of: first), let right = Hangul.initial(of: second) {
                initials.insert(hash(.initials, left, right))
            }
        }
        for (scalar, isInPair) in zip(scalars, isInPair)
        where !isInPair && scalar != SearchText.space && isExact(scalar) {
            singles.insert(hash(.single, scalar, 0))
        }
        return pairs.sorted() + initials.subtracting(pairs).sorted()
            + singles.subtracting(pairs).subtracting(initials).sorted()
    }

    /// Says whether a scalar of a pattern matches nothing but itself.
    private func isExact(_ scalar: UInt32) -> Bool {
        !Hangul.compatibilityConsonants.contains(scalar)
    }

    private enum Kind: UInt64 {
        case single = 1
        case pair, initials
    }

    /// Two rounds of a 64-bit mixer (splitmix64): the hash must be the same on every machine and in every release, because it is
    /// stored.
    private func hash(_ kind: Kind, _ first: UInt32, _ second: UInt32) -> Int32 {
        hash(kind.rawValue << 42 | UInt64(first) << 21 | UInt64(second))
    }

    private func hash(_ gram: UInt64) -> Int32 {
        Int32(truncatingIfNeeded: mix(gram ^ mix(UInt64(bitPattern: workspace))))
    }

    private func mix(_ value: UInt64) -> UInt64 {
        var mixed = value &+ 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
