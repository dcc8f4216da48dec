extension ErrorCode {
    /// The cause, in a sentence.
    public var cause: String {
        switch self {
        case .unknownKey: "The header `SesacKey` is missing, or its API key is unknown to this server."
        case .invalidToken:
            "The header `Authorization` is missing, or its token is not a valid access token of this server."
        case .unknownAccount:
            "The email, password or provider token belongs to no account, or an invited address has none."
        case .expiredToken: "The access token has expired, or its session has ended."
        case .expiredRefresh: "The refresh token has expired, was used before, or its session has ended."
        case .secondFactor: "The account has a second factor, and the sign-in needs a code of its authenticator app."
        case .secondFactorMissing:
            "The workspace requires a second factor, which the account does not have. Shipped apps get E14."
        case .invalidRequest:
            "A parameter or member is missing, has the wrong type or breaks a limit. `detail` names it."
        case .duplicate: "Something with this unique value exists already, such as an account with the email."
        case .notFound: "The data does not exist, or the caller may not see it. The reply is the same for both."
        case .notAllowed: "The caller sees the data, but the action needs another role."
        case .refused: "The state of the data forbids the action, such as leaving a workspace that one owns."
        case .botFailed: "The bot of a command cannot be reached, took too long, or gave no valid answer."
        case .notEnoughCoins: "The caller has fewer coins than the action costs."
        case .unknownPayment: "The payment provider knows no such payment, or it was cancelled."
        case .invalidPayment: "The payment has another amount, currency or order, or belongs to another user."
        case .unknownRoute: "The method and path are unknown, or the generation of the API key lacks them."
        case .tooManyCalls: "A rate limit is exceeded, or the service is overloaded."
        case .serverError: "The server has failed, or a part of it does not answer."
        }
    }

    /// The cure by the client, in a sentence.
    public var cure: String {
        switch self {
        case .unknownKey: "Send the API key that the operator gave to this app, with every call and every file."
        case .invalidToken: "Send the access token of the last sign-in or refresh; without one, sign in."
        case .unknownAccount: "Ask for the email and password again, or offer to join."
        case .expiredToken: "Refresh the token once and repeat the call; if the refresh fails, sign in."
        case .expiredRefresh: "Forget both tokens and show the sign-in."
        case .secondFactor:
            "Ask for the code, and send it with `ticket` to `POST /v1/users/login/second-factor` before `expiresAt`."
        case .secondFactorMissing: "Offer to set one up: `POST /v1/users/me/second-factor`."
        case .invalidRequest: "Correct the request; the same one fails again."
        case .duplicate: "Choose another value, or use what exists."
        case .notFound: "Drop the data from caches, and load the list that named it again."
        case .notAllowed: "Hide the action from this user, or ask an owner."
        case .refused: "Do first what `detail` says, such as transferring the ownership."
        case .botFailed: "Tell the user; the command may have had its effect, so do not repeat it by itself."
        case .notEnoughCoins: "Offer the store."
        case .unknownPayment: "Ask the user to check the payment; never repeat a purchase by itself."
        case .invalidPayment: "Send the order that the payment was made for; else contact the operator."
        case .unknownRoute: "Compare method, path and API key with the reference."
        case .tooManyCalls: "Wait for the seconds of the header `Retry-After`, then repeat the call."
        case .serverError:
            "Repeat a read, or a send with the same `client_id`, after a pause that doubles; respect `Retry-After`."
        }
    }
}
