import Glibc

/// A measuring program. It raises its descriptor limit, and exits with 1 after an error or a missed target.
public protocol MeasuringProgram {
    static func measure() async throws
}

extension MeasuringProgram {
    // A `main` in a protocol extension must leave the executor of its caller.
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

    /// The duration of each part: the first argument or a default.
    public static func seconds(or usual: Int) -> Int {
        CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? usual
    }
}
