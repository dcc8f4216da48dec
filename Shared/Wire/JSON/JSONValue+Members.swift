/// Reads members in one step: `body.string("email")` is `body["email"]?.string`, without a value in between.
extension JSONValue {
    /// nil if there is no such member, or if it is not a string.
    @inlinable
    public func string(_ name: StaticString) -> String? {
        let member = document.lastMember(of: index, named: name)
        return member < 0 ? nil : document.string(at: member)
    }

    /// nil if there is no such member, or if it is not a 64-bit integer.
    public func int(_ name: StaticString) -> Int? { self[name]?.int }

    /// nil if there is no such member, or if it is neither `true` nor `false`.
    public func bool(_ name: StaticString) -> Bool? { self[name]?.bool }
}
