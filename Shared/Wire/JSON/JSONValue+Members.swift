/// Members read at once: `body.string("email")` is `body["email"]?.string`, without a value in between.
extension JSONValue {
    /// `nil` where there is no such member, or it is no string.
    @inlinable
    public func string(_ name: StaticString) -> String? {
        let member = document.lastMember(of: index, named: name)
        return member < 0 ? nil : document.string(at: member)
    }

    /// `nil` where there is no such member, or it is no integer of 64 bits.
    public func int(_ name: StaticString) -> Int? { self[name]?.int }

    /// `nil` where there is no such member, or it is neither `true` nor `false`.
    public func bool(_ name: StaticString) -> Bool? { self[name]?.bool }

    /// `nil` where there is no such member, or it is no id that can exist.
    public func id<Subject>(_ name: StaticString, _: ID<Subject>.Type = ID<Subject>.self) -> ID<Subject>? {
        self[name]?.id()
    }
}
