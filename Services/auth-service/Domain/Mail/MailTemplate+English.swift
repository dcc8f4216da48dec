extension MailTemplate {
    /// The English text without its greeting and footer.
    func english(_ values: MailValues) -> MailText {
        let moment = MailTime.text(of: values.moment, in: .english)
        let isNotYou = "If this was not you, reset your password now and sign out the other devices."
        return switch self {
        case .verification:
            MailText(
                subject: "\(values.code) is your verification code",
                text: """
                    Your verification code: \(values.code)

                    Enter it in the app within \(values.minutes) minutes. If you did not ask for it, ignore this mail.
                    """)
        case .address:
            MailText(
                subject: "\(values.code) is your code for a new address",
                text: """
                    The code that changes the address of your account to this one: \(values.code)

                    Enter it in the app within \(values.minutes) minutes. If you did not ask for it, ignore this mail.
                    """)
        case .reset:
            MailText(
                subject: "\(values.code) is your code for a new password",
                text: """
                    The code that resets your password: \(values.code)

                    Enter it in the app within \(values.minutes) minutes. Give it to nobody.
                    If you did not ask for it, ignore this mail. Your password stays as it is.
                    """)
        case .passwordReset:
            MailText(
                subject: "Your password was reset",
                text: """
                    Your password was reset at \(moment), and all your devices were signed out.

                    \(isNotYou)
                    """)
        case .passwordChanged:
            MailText(
                subject: "Your password was changed",
                text: """
                    Your password was changed at \(moment), and your other devices were signed out.

                    \(isNotYou)
                    """)
        case .addressChanged:
            MailText(
                subject: "The address of your account was changed",
                text: """
                    The address of your account was changed at \(moment) to \(values.detail).

                    If this was not you, tell the operator of this server now.
                    """)
        case .newDevice:
            MailText(
                subject: "New sign-in to your account",
                text: """
                    Your account was used on a new device at \(moment).
                    App: \(values.detail)

                    \(isNotYou)
                    """)
        case .exportReady:
            MailText(
                subject: "Your data are ready",
                text: """
                    The copy of your data that was requested in the app is ready since \(moment).

                    Load it in the app within a few days. \(isNotYou)
                    """)
        case .secondFactorOn:
            MailText(
                subject: "Two-step sign-in is on",
                text: """
                    Since \(moment), signing in to your account needs a code of your authenticator app. Your other devices
                    were signed out.

                    \(isNotYou)
                    """)
        case .secondFactorOff:
            MailText(
                subject: "Two-step sign-in is off",
                text: """
                    Since \(moment), signing in to your account needs no code of your authenticator app any more.

                    \(isNotYou)
                    """)
        case .recoveryCodeUsed:
            MailText(
                subject: "A recovery code was used",
                text: """
                    A recovery code of your account was used at \(moment). It does not work again.

                    \(isNotYou)
                    """)
        case .recoveryCodesRenewed:
            MailText(
                subject: "Your recovery codes were replaced",
                text: """
                    The recovery codes of your account were replaced at \(moment). The old ones do not work any more.

                    \(isNotYou)
                    """)
        case .webhookOff:
            MailText(
                subject: "A webhook was switched off",
                text: """
                    Maru switched off a webhook to \(values.detail) at \(moment), because all calls to it have failed for long.

                    The list of the workspace's webhooks has the reason. Once the receiver works again, turn the webhook on there.
                    """)
        case .secondFactorRequired:
            MailText(
                subject: "A workspace requires two-step sign-in",
                text: """
                    The owner of the workspace "\(values.demand?.workspace ?? "")" requires two-step sign-in of all members since
                    \(moment). Your account does not use it yet.

                    Turn it on in the app's security settings by \(due(of: values, in: .english)).
                    After that you do not see the workspace until it is on.
                    """)
        case .accountDeleted:
            MailText(
                subject: "Your account was deleted",
                text: """
                    Your account was deleted at \(moment). Your personal data are being erased.

                    Thank you for having used Maru.
                    """)
        case .invitation:
            MailText(
                subject: "You are invited to a workspace",
                text: """
                    \(values.invitation?.inviter ?? "") invites you to the workspace "\(values.invitation?.workspace ?? "")".

                    Open the invitation: \(values.opening)

                    It is valid until \(MailTime.text(of: values.expiry, in: .english)). If you do not know the sender,
                    ignore this mail.
                    """)
        }
    }
}
