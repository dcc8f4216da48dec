import Glibc

/// A program that measures. It may have as many sockets as the system lets it, says what went wrong, and ends with 1 for
/// that: a missed target is one such thing.
public protocol MeasuringProgram {
    static func measure() async throws
}

extension MeasuringProgram {
    // What `@main` finds in a protocol's extension has to leave its caller's executor.
    @concurrent
    public static func main() async {
        DescriptorLimit.raise()
        do {
            try await measure()
        } catch {
            print("\(CommandLine.arguments[0].split(separator: "/").last ?? ""): \(error)")
            exit(1)
        }
    }

    /// How long each part is to last, which is the first argument.
    public static func seconds(or usual: Int) -> Int {
        CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? usual
    }
}
