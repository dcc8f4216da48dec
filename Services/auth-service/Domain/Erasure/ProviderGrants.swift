/// Revokes our grants at Kakao and Apple for deleted accounts.
struct ProviderGrants: Sendable {
    let kakao: KakaoGrants
    let apple: AppleGrants

    enum Outcome: Sendable, Equatable {
        case revoked
        /// The provider did not answer, so it is asked again.
        case later
        /// Nothing that we have lets us revoke it.
        case impossible
    }

    func revoke(_ grant: Erasures.Grant) async -> Outcome {
        switch grant.provider {
        case .kakao: await kakao.unlink(grant)
        case .apple: await apple.revoke(grant)
        }
    }
}
