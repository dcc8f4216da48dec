/// The route that matches a request.
public struct RouteMatch<Payload: Sendable>: Sendable {
    /// The payload that was added with the route.
    public let payload: Payload
    /// The ranges of the template's parameters in the path.
    public let parameters: PathParameters

    /// The template as it was added, for labels.
    public var template: String { parameters.template.text }

    @inlinable
    init(payload: Payload, parameters: PathParameters) {
        self.payload = payload
        self.parameters = parameters
    }
}

/// A template and the names of its parameters; a class, because every match holds a reference to it.
final class RouteTemplate: Sendable {
    let text: String
    let names: [String]

    init(_ text: String, names: [String]) {
        self.text = text
        self.names = names
    }
}

/// The ranges of a path that match the parameters of its template. The path itself belongs to the request.
public struct PathParameters: Sendable {
    /// The largest number of parameters in a template.
    static let most = 8
    static let longestPath = Int(UInt16.max)

    /// The start and end of each parameter in the path.
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

    /// The number of parameters.
    public var count: Int { template.names.count }

    init(_ template: RouteTemplate, bounds: Bounds) {
        self.template = template
        self.bounds = bounds
    }

    /// A parameter of the matched path as it was sent, percent-encoded; nil if the template has no parameter of this
    /// name.
    public subscript(_ name: String, in path: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let range = range(of: name) else { return nil }
        return path[(path.startIndex + range.lowerBound)..<(path.startIndex + range.upperBound)]
    }

    /// The range of a parameter in the path; nil if the template has no parameter of this name.
    func range(of name: String) -> Range<Int>? { template.names.firstIndex(of: name).map { bounds[$0] } }
}
