import Glibc

extension Duration {
    /// This long, and `MARU_PATIENCE` times as long where a sanitizer or the machine makes everything slow.
    ///
    /// For limits that only a fault reaches; never for a time that a test is about.
    public var patiently: Duration { self * Self.patience }

    private static let patience: Double = {
        guard let text = getenv("MARU_PATIENCE") else { return 1 }
        guard let factor = Double(String(cString: text)), factor >= 1 else {
            preconditionFailure("MARU_PATIENCE is a factor, 1 or more")
        }
        return factor
    }()
}
