import ServiceSupport

extension ErasureAnswers {
    /// The answers of auth-service's tables.
    static let ofAuth = ErasureAnswers(
        "auth",
        [
            "account": .erased(
                """
                id = $user and (deleted_at is null or email not like 'deleted-%' or nickname <> '탈퇴한 사용자'
                    or num_nonnulls(phone, profile_image, password_hash, provider, language, mail_bounced_at) > 0)
                """),
            "identity": .erased("account = $user"), "device": .erased("account = $user"),
            "refresh_token": .erased("session in (select id from auth.session where account = $user)"),
            "mail": .erased("account = $user"), "mail_code": .erased("account = $user or address = 'a@b.kr'"),
            "mail_notice": .kept("digests of addresses, for a day"),
            "known_device": .erased("account = $user"), "block": .erased("account = $user"),
            "unused_portrait": .erased("account = $user"),
            "session": .kept("services ask for its revocation until it expires; it names a number and an app"),
            "erasure": .kept("the record that the account was erased, with its address until it is"),
            "erasure_part": .kept("as `erasure`"), "erasure_grant": .kept("a row goes when its grant is revoked"),
            "outbox": .kept("facts name a number, those of sign-ins an address; they go after a day"),
            "signing_key": .kept("no user"), "used_nonce": .kept("digests without a user"),
            "schema_migrations": .kept("no user"), "export": .erased("account = $user"),
            "export_file": .erased("account = $user"), "second_factor": .erased("account = $user"),
            "recovery_code": .erased("account = $user"), "sign_in_ticket": .erased("account = $user"),
            "remembered_device": .erased("account = $user"), "oidc_identity": .erased("account = $user"),
            "oidc_sign_in": .kept("no user, for ten minutes"), "bot_token": .erased("created_by = $user"),
        ],
        exports: [
            "account": .section("profile"), "identity": .section("identities"), "device": .section("devices"),
            "refresh_token": .secret("hashes of tokens; the sessions are in the export"),
            "mail": .section("mails"), "mail_code": .section("codes"), "known_device": .section("knownDevices"),
            "mail_notice": .withheld("counts for addresses that nobody has verified"),
            "block": .section("blocks"), "unused_portrait": .section("earlierPortraits"),
            "session": .section("sessions"), "export": .section("exports"),
            "export_file": .elsewhere("the files of exports"), "second_factor": .section("secondFactor"),
            "recovery_code": .secret("hashes; their number is in `secondFactor`"),
            "sign_in_ticket": .secret("hashes, for five minutes"), "remembered_device": .section("rememberedDevices"),
            "oidc_identity": .section("issuers"), "oidc_sign_in": .withheld("no user"),
            "bot_token": .elsewhere("the bots of their maker in the export of workspace-service"),
            "erasure": .withheld("of accounts that are gone"), "erasure_part": .withheld("as `erasure`"),
            "erasure_grant": .withheld("as `erasure`"),
            "outbox": .elsewhere("facts of the profile"),
            "signing_key": .withheld("no user"), "used_nonce": .withheld("digests without a user"),
            "schema_migrations": .withheld("no user"),
        ])
}
