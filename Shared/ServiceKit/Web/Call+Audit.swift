public import Contract

extension Call {
    /// Where the call came from, for the audit log of a workspace.
    public func origin(of caller: Caller) -> AuditOrigin {
        AuditOrigin(address: address, app: profile.name, session: caller.session)
    }
}
