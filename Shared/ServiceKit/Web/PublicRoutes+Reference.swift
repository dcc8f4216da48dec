public import Contract
internal import HTTP

extension PublicRoutes {
    /// The differences between these routes and their descriptions; empty if every route is described as it is.
    public func differences(from reference: ServiceReference) -> [String] {
        let described = reference.routes
        let keyed = Set(all.filter { $0.audience != .keyless }.map(\.name))
        let missing = all.filter { route in
            // A signed URL opens a route that clients with a key have as well.
            // Providers call the webhooks, not clients.
            guard
                route.audience != .keyless || !keyed.contains(route.name) && !route.template.hasPrefix("/v1/webhooks/")
            else { return false }
            return !described.contains { route.isDescribed(by: $0) }
        }
        let superfluous = described.filter { description in !all.contains { $0.isDescribed(by: description) } }
        return missing.map { route in
            "\(route.name) has no description. Add RouteDescription(\(route.caseName), .\(route.method.rawValue.lowercased()), "
                + "\"\(route.template)\", …\(route.needsToken ? "" : ", isOpen: true")) to the folder Reference of the service."
        }
            + superfluous.map { description in
                "\(description.method.rawValue) \(description.template) is described, but no such route is registered "
                    + "for the same clients."
            }
    }
}

extension PublicRoutes.Route {
    fileprivate var name: String { "\(method.rawValue) \(template)" }

    fileprivate var needsToken: Bool {
        switch action {
        case .signedIn: true
        case .open: false
        }
    }

    /// Whether method, path, clients and need of a token are as described.
    fileprivate func isDescribed(by description: RouteDescription) -> Bool {
        guard method == description.method, template == description.template else { return false }
        if audience == .keyless { return description.audience == .keyless }
        let forms = ClientProfile.Form.allCases
        let isAudience =
            description.audience == .shippedJuly2024
            ? audience == .clients(.july2024) : forms.allSatisfy { isFor($0) == description.isFor($0) }
        return description.audience != .keyless && isAudience && needsToken == !description.isOpen
    }

    /// The audience as a description writes it.
    fileprivate var caseName: String {
        switch audience {
        case .clients(nil): ".everyone"
        case .clients(.january2024): ".generation(.january2024)"
        case .clients(.july2024): ".generation(.july2024)"
        case .native: ".native"
        case .keyless: ".keyless"
        }
    }
}
