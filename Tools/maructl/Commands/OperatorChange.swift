import ServiceKit

/// A change of the operators that have a credential of their own.
enum OperatorChange: String, Sendable, Equatable {
    case add, rotate, remove

    /// The reason why a change is refused.
    struct Refusal: Error, Equatable {
        let reason: String
    }

    /// Changes the line of an operator, and returns the new credential; nil for a removal.
    ///
    /// - Parameters:
    ///   - role: for an addition.
    ///   - day: today.
    func change(
        _ name: String, as role: OperatorRole, in list: inout OperatorList, on day: String
    ) throws(Refusal) -> String? {
        if let line = list.unreadable.first {
            throw Refusal(reason: "line \(line) of the file cannot be read: correct it first")
        }
        let known = list[name].flatMap { $0.role == .removed ? nil : $0 }
        if self == .add {
            guard known == nil else { throw Refusal(reason: "\(name) is an operator already; see operators rotate") }
        } else {
            guard known != nil else { throw Refusal(reason: "no operator has the name \(name)") }
        }
        if self == .remove {
            list.set(.init(name: name, role: .removed, digest: "-", day: day))
            return nil
        }
        let credential = OperatorList.makeCredential()
        list.set(.init(name: name, role: known?.role ?? role, digest: credential.digest, day: day))
        return credential.text
    }
}
