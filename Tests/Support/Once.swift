/// A value that is made by the first test that needs it and shared by all.
actor Once<Value: Sendable> {
    private var task: Task<Value, any Error>?

    func value(_ make: @escaping @Sendable () async throws -> Value) async throws -> Value {
        if let task { return try await task.value }
        let task = Task { try await make() }
        self.task = task
        return try await task.value
    }
}
