/// The order of the group of P-256, and the other valid form of a signature.
enum P256Order {
    static let order = bytes("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
    /// Half of the order, rounded down.
    static let half = bytes("7fffffff800000007fffffffffffffffde737d56d38bcf4279dce5617e3192a8")

    /// The signature r‖(n - s) for r‖s.
    static func other(_ signature: [UInt8]) -> [UInt8] {
        var other = signature
        var borrow = 0
        for index in (0..<32).reversed() {
            let difference = Int(order[index]) - Int(signature[32 + index]) - borrow
            borrow = difference < 0 ? 1 : 0
            other[32 + index] = UInt8(difference & 255)
        }
        return other
    }
}
