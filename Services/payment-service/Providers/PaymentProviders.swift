import HTTP
import ServiceKit

/// All providers that are set up, and the way to ask them.
struct PaymentProviders: Sendable {
    /// Every provider that there is; a new one is a line here.
    static let known: [any PaymentProvider.Type] = [PortOneV1.self, PortOneV2.self]

    /// What all of them together say of a payment.
    enum Answer: Sendable {
        case payment(PaymentReport, provider: String)
        case unknown
        case unusable(ProviderFault)
    }

    let setUp: [any PaymentProvider]
    let client: ProviderClient

    init(_ config: Config, client: ProviderClient) throws {
        setUp = try Self.known.compactMap { provider in try provider.init(config) }
        self.client = client
    }

    /// The names of all, set up or not.
    var names: [String] { Self.known.map { $0.name } }

    /// The provider of this name.
    ///
    /// - Throws: `ProviderFault` where it is not set up.
    func named(_ name: String) throws(ProviderFault) -> any PaymentProvider {
        guard let provider = setUp.first(where: { type(of: $0).name == name }) else {
            throw ProviderFault("\(name) is not set up")
        }
        return provider
    }

    /// Whom to ask about a payment: the provider whose reference it must be, or all.
    ///
    /// - Throws: `ProviderFault` where none of them is set up.
    func candidates(for reference: String) throws(ProviderFault) -> [any PaymentProvider] {
        if let certain = Self.known.first(where: { $0.recognises(reference) }) { return [try named(certain.name)] }
        guard !setUp.isEmpty else { throw ProviderFault("no payment provider is set up") }
        return setUp
    }

    /// Asks about a payment.
    ///
    /// - Parameter name: the only provider to ask; nil for all that it may be of.
    func ask(about reference: String, only name: String? = nil) async -> Answer {
        let candidates: [any PaymentProvider]
        do { candidates = try name.map { [try named($0)] } ?? self.candidates(for: reference) } catch {
            return .unusable(error as? ProviderFault ?? ProviderFault("\(error)"))
        }
        var fault: ProviderFault?
        for provider in candidates {
            switch await client.converse(provider.inquiry(about: reference)) {
            case .payment(let report): return .payment(report, provider: type(of: provider).name)
            case .unknown: continue
            case .unusable(let why): fault = fault ?? why
            }
        }
        return fault.map(Answer.unusable) ?? .unknown
    }
}
