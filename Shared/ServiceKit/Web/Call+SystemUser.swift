public import Contract
public import Wire

extension Call {
    /// The path parameter `name` as the id of a user or of the system; no account has the id 0.
    public func member(_ name: String) throws(Failure) -> UserID {
        try raw(name).elementsEqual("0".utf8) ? .system : id(name)
    }
}
