/// The version of the running program and the way it was built.
public enum Build {
    /// The version of the product, raised with every release.
    public static let version = "0.2.0"

    /// The compiler.
    static var swift: String {
        #if compiler(>=6.4)
            "6.4 or later"
        #elseif compiler(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }

    /// Whether this is a release build.
    static var isOptimized: Bool {
        #if DEBUG
            false
        #else
            true
        #endif
    }
}
