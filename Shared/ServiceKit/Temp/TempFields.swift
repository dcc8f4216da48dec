import Contract

extension Call {
    func multipartFields() async throws -> Fields { Fields([:]) }
    func formFields(_ body: [UInt8]) throws -> Fields { Fields([:]) }
}
