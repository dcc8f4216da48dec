extension ClientProfile {
    /// Whether the client uses the native API beside the contract of its generation: clients that understand all
    /// statuses do. Shipped apps do not know these routes and members.
    public var isNative: Bool { statuses == .http && generation == .july2024 }
}
