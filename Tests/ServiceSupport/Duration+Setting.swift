extension Duration {
    /// The value of a setting, in whole seconds.
    public var setting: String { "\(components.seconds)s" }
}
