import Glibc

extension Duration {
    /// This duration times `MARU_PATIENCE`, which is more than 1 where a sanitizer or the machine makes everything
    /// slow.
    ///
    /// For limits that only a fault reaches; never for a duration that a test is about.
    public var patiently: Duration { self * Self.patience }

    private static let patience: Double = {
        guard let text = getenv("MARU_PATIENCE") else { return 1 }
        guard let factor = Double(String(cString: text)), factor >= 1 else {
            preconditionFailure("MARU_PATIENCE must be a factor of 1 or more")
        }
        return factor
    }()
}
