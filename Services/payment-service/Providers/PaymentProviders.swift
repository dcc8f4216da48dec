import HTTP
import ServiceKit

/// All providers that are set up, and lookups over them.
struct PaymentProviders: Sendable {
    /// Every supported provider; a new one is a line here.
    static let known: [any PaymentProvider.Type] = [PortOneV1.self, PortOneV2.self]

    /// The combined answer of all asked providers.
    enum Answer: Sendable {
        case payment(PaymentReport, provider: String)
        case unknown
        case unusable(ProviderFault)
    }

    let enabled: [any PaymentProvider]
    let client: ProviderClient

    init(_ config: Config, client: ProviderClient) throws {
        enabled = try Self.known.compactMap { provider in try provider.init(config) }
        self.client = client
    }

    /// The names of all providers, set up or not.
    var names: [String] { Self.known.map { $0.name } }

    /// Returns the provider of this name.
    ///
    /// - Throws: `ProviderFault` if it is not set up.
    func named(_ name: String) throws(ProviderFault) -> any PaymentProvider {
        guard let provider = enabled.first(where: { type(of: $0).name == name }) else {
            throw ProviderFault("\(name) is not set up")
        }
        return provider
    }

    /// Whether a payment needs an order of the server: a client chooses the ids that no provider recognises, so that others
    /// can guess them.
    func needsOrder(_ reference: String) -> Bool { !Self.known.contains { $0.recognises(reference) } }

    /// Returns the providers that may have a payment: the one that recognises its reference, or all.
    ///
    /// - Throws: `ProviderFault` if none of them is set up.
    func candidates(for reference: String) throws(ProviderFault) -> [any PaymentProvider] {
        if let certain = Self.known.first(where: { $0.recognises(reference) }) { return [try named(certain.name)] }
        guard !enabled.isEmpty else { throw ProviderFault("no payment provider is set up") }
        return enabled
    }

    /// Refunds a payment at its provider, and returns the payment as it is afterwards. If the provider refuses or does not answer,
    /// a lookup tells whether the payment was refunded.
    ///
    /// - Returns: `isRefused` is false if the provider may still make the refund.
    func refund(
        _ reference: String, of name: String, because reason: String
    ) async -> (answer: Answer, isRefused: Bool) {
        let provider: any PaymentProvider
        do { provider = try named(name) } catch { return (.unusable(error), true) }
        let isRefused: Bool
        switch await client.run(provider.refund(of: reference, because: reason)) {
        case .payment(let report): return (.payment(report, provider: name), false)
        case .unknown: isRefused = true
        case .unusable(let fault): isRefused = fault.isRefusal
        }
        return (await ask(about: reference, only: name), isRefused)
    }

    /// Looks up a payment.
    ///
    /// - Parameter name: the only provider to ask; nil asks all that may have it.
    func ask(about reference: String, only name: String? = nil) async -> Answer {
        let candidates: [any PaymentProvider]
        do { candidates = try name.map { [try named($0)] } ?? self.candidates(for: reference) } catch {
            return .unusable(error as? ProviderFault ?? ProviderFault("\(error)"))
        }
        var fault: ProviderFault?
        for provider in candidates {
            switch await client.run(provider.inquiry(about: reference)) {
            case .payment(let report): return .payment(report, provider: type(of: provider).name)
            case .unknown: continue
            case .unusable(let why): fault = fault ?? why
            }
        }
        return fault.map(Answer.unusable) ?? .unknown
    }
}
