/// The route of a request.
public struct RouteMatch<Payload: Sendable>: Sendable {
    /// What was given when the route was added.
    public let payload: Payload
    /// Where in the path the template's parameters stand.
    public let parameters: PathParameters

    /// The template as it was added, for labels.
    public var template: String { parameters.template.text }

    @inlinable
    init(payload: Payload, parameters: PathParameters) {
        self.payload = payload
        self.parameters = parameters
    }
}

/// A template and the names of its parameters; an object, because every match holds it.
final class RouteTemplate: Sendable {
    let text: String
    let names: [String]

    init(_ text: String, names: [String]) {
        self.text = text
        self.names = names
    }
}

/// Which parts of a path stand where its template has parameters. The path itself belongs to the request.
public struct PathParameters: Sendable {
    /// Parameters that a template may have.
    static let most = 8
    static let longestPath = Int(UInt16.max)

    /// Where each begins and ends in the path.
    @usableFromInline struct Bounds: Sendable {
        private var starts = SIMD8<UInt16>()
        private var ends = SIMD8<UInt16>()

        mutating func set(_ index: Int, _ start: Int, _ end: Int) {
            starts[index] = UInt16(start)
            ends[index] = UInt16(end)
        }

        subscript(_ index: Int) -> Range<Int> { Int(starts[index])..<Int(ends[index]) }
    }

    let template: RouteTemplate
    private let bounds: Bounds

    /// How many there are.
    public var count: Int { template.names.count }

    init(_ template: RouteTemplate, bounds: Bounds) {
        self.template = template
        self.bounds = bounds
    }

    /// The parameter as it was sent, percent-encoded, in the path that was matched; nil where the template has none of this
    /// name.
    public subscript(_ name: String, in path: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let range = range(of: name) else { return nil }
        return path[(path.startIndex + range.lowerBound)..<(path.startIndex + range.upperBound)]
    }

    /// Where in the path the parameter stands; nil where the template has none of this name.
    func range(of name: String) -> Range<Int>? { template.names.firstIndex(of: name).map { bounds[$0] } }
}
