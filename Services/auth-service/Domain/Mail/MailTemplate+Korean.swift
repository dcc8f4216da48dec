extension MailTemplate {
    /// The Korean text without its greeting and footer.
    func korean(_ values: MailValues) -> MailText {
        let moment = MailTime.text(of: values.moment, in: .korean)
        let isNotYou = "본인이 아니라면 바로 비밀번호를 재설정하고 다른 기기에서 로그아웃해 주세요."
        return switch self {
        case .verification:
            MailText(
                subject: "이메일 인증번호 \(values.code)",
                text: """
                    인증번호: \(values.code)

                    \(values.minutes)분 안에 앱에 입력해 주세요. 요청하지 않았다면 이 메일을 무시하세요.
                    """)
        case .address:
            MailText(
                subject: "이메일 변경 인증번호 \(values.code)",
                text: """
                    계정의 이메일을 이 주소로 바꾸는 인증번호: \(values.code)

                    \(values.minutes)분 안에 앱에 입력해 주세요. 요청하지 않았다면 이 메일을 무시하세요.
                    """)
        case .reset:
            MailText(
                subject: "비밀번호 재설정 인증번호 \(values.code)",
                text: """
                    비밀번호를 재설정하는 인증번호: \(values.code)

                    \(values.minutes)분 안에 앱에 입력해 주세요. 아무에게도 알려 주지 마세요.
                    요청하지 않았다면 이 메일을 무시하세요. 비밀번호는 바뀌지 않습니다.
                    """)
        case .passwordReset:
            MailText(
                subject: "비밀번호를 재설정했습니다",
                text: """
                    \(moment)에 비밀번호를 재설정했고 모든 기기에서 로그아웃했습니다.

                    \(isNotYou)
                    """)
        case .passwordChanged:
            MailText(
                subject: "비밀번호를 바꾸었습니다",
                text: """
                    \(moment)에 비밀번호를 바꾸었고 다른 기기에서 로그아웃했습니다.

                    \(isNotYou)
                    """)
        case .addressChanged:
            MailText(
                subject: "계정의 이메일을 바꾸었습니다",
                text: """
                    \(moment)에 계정의 이메일을 다음 주소로 바꾸었습니다: \(values.detail)

                    본인이 아니라면 바로 운영자에게 알려 주세요.
                    """)
        case .newDevice:
            MailText(
                subject: "새 기기에서 로그인했습니다",
                text: """
                    \(moment)에 새 기기에서 로그인했습니다.
                    앱: \(values.detail)

                    \(isNotYou)
                    """)
        case .exportReady:
            MailText(
                subject: "내 데이터가 준비되었습니다",
                text: """
                    앱에서 요청하신 데이터 사본이 \(moment)에 준비되었습니다.

                    며칠 안에 앱에서 내려받아 주세요. \(isNotYou)
                    """)
        case .secondFactorOn:
            MailText(
                subject: "2단계 로그인을 켰습니다",
                text: """
                    \(moment)부터 로그인할 때 인증 앱의 코드가 필요합니다. 다른 기기에서 로그아웃했습니다.

                    \(isNotYou)
                    """)
        case .secondFactorOff:
            MailText(
                subject: "2단계 로그인을 껐습니다",
                text: """
                    \(moment)부터 로그인할 때 인증 앱의 코드가 필요하지 않습니다.

                    \(isNotYou)
                    """)
        case .recoveryCodeUsed:
            MailText(
                subject: "복구 코드를 사용했습니다",
                text: """
                    \(moment)에 계정의 복구 코드 하나를 사용했습니다. 그 코드는 다시 쓸 수 없습니다.

                    \(isNotYou)
                    """)
        case .recoveryCodesRenewed:
            MailText(
                subject: "복구 코드를 새로 만들었습니다",
                text: """
                    \(moment)에 계정의 복구 코드를 새로 만들었습니다. 전의 코드는 쓸 수 없습니다.

                    \(isNotYou)
                    """)
        case .webhookOff:
            MailText(
                subject: "웹훅을 껐습니다",
                text: """
                    \(values.detail)(으)로 보내는 웹훅의 호출이 오랫동안 모두 실패해서 \(moment)에 웹훅을 껐습니다.

                    이유는 워크스페이스의 웹훅 목록에 있습니다. 받는 서버를 고친 뒤 그곳에서 다시 켜 주세요.
                    """)
        case .secondFactorRequired:
            MailText(
                subject: "워크스페이스가 2단계 로그인을 요구합니다",
                text: """
                    워크스페이스 "\(values.demand?.workspace ?? "")"의 소유자가 \(moment)부터 모든 멤버에게 2단계 로그인을 요구합니다.
                    회원님의 계정은 아직 2단계 로그인을 쓰지 않습니다.

                    \(due(of: values, in: .korean))까지 앱의 보안 설정에서 켜 주세요.
                    그 뒤에는 켤 때까지 이 워크스페이스를 볼 수 없습니다.
                    """)
        case .accountDeleted:
            MailText(
                subject: "계정을 삭제했습니다",
                text: """
                    \(moment)에 계정을 삭제했습니다. 개인정보는 곧 모두 지워집니다.

                    그동안 마루를 이용해 주셔서 고맙습니다.
                    """)
        case .invitation:
            MailText(
                subject: "워크스페이스에 초대되었습니다",
                text: """
                    \(values.invitation?.inviter ?? "")님이 워크스페이스 "\(values.invitation?.workspace ?? "")"에 초대했습니다.

                    초대 열기: \(values.opening)

                    \(MailTime.text(of: values.expiry, in: .korean))까지 쓸 수 있습니다. 보낸 사람을 모르면 이 메일을 무시하세요.
                    """)
        }
    }
}
