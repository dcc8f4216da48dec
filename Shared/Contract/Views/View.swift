public import Wire

/// An entity as clients see it. It writes itself as one JSON value in the form of a client profile.
public protocol View: Sendable {
    /// Appends exactly one JSON value.
    func write(to json: inout JSONWriter, for profile: ClientProfile)
}

extension JSONWriter {
    /// Appends one view.
    public mutating func view(_ view: some View, for profile: ClientProfile) { view.write(to: &self, for: profile) }

    /// Appends a key and a view.
    public mutating func field(_ key: StaticString, _ view: some View, for profile: ClientProfile) {
        self.key(key)
        view.write(to: &self, for: profile)
    }

    /// Appends a key and an array of views.
    public mutating func field(_ key: StaticString, _ views: [some View], for profile: ClientProfile) {
        self.key(key)
        self.views(views, for: profile)
    }

    /// Appends an array of views.
    public mutating func views(_ views: [some View], for profile: ClientProfile) {
        array { json in for view in views { view.write(to: &json, for: profile) } }
    }

    /// Appends a key and an id: an integer in the first generation, a string in the second.
    public mutating func field<Entity>(_ key: StaticString, _ id: ID<Entity>, for profile: ClientProfile) {
        switch profile.generation {
        case .january2024: field(key, id.rawValue)
        case .july2024: field(key, String(id.rawValue))
        }
    }
}
