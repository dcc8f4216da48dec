extension PostgresConfiguration {
    /// A configuration for each host of the connection string alone, whether it can write or not. Empty if there is only one
    /// host, and so no known replica.
    public var ofEachHost: [(host: String, configuration: PostgresConfiguration)] {
        guard let settings = try? ConnectionString(connectionString), settings.hosts.count > 1 else { return [] }
        return settings.hosts.map { host in
            var copy = self
            copy.connectionString = settings.naming(host).acceptingReplicas.text
            return (host.description, copy)
        }
    }
}
