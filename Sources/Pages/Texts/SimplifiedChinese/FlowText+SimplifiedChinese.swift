// One text per line, however long it is.
// swift-format-ignore-file

extension FlowText {
    var simplifiedChinese: StaticString {
        switch self {
        case .signingIn: "正在登录…"
        case .returning: "即将返回应用。"
        case .needsScript: "此页面需要 JavaScript。请在浏览器中启用 JavaScript，然后重新登录。"
        case .noResponse: "应用没有响应。请关闭此窗口，返回应用并重新登录。"
        case .tryAgain: "重试"
        case .backToApp: "返回应用"
        case .expired: "此次登录已过期"
        case .expiredAdvice: "登录须在 10 分钟内完成。请返回应用并重新登录。未做任何更改。"
        case .otherBrowser: "无法完成此次登录"
        case .otherBrowserAdvice: "此次登录不是在这个浏览器中开始的，或者浏览器未保存 Cookie。请返回应用，允许 Cookie，然后在同一浏览器中重新登录。未做任何更改。"
        case .alreadyUsed: "此次登录已完成"
        case .alreadyUsedAdvice: "请返回应用。如果尚未登录，请重新登录。"
        case .domainNotAllowed: "此网站不能使用此登录方式"
        case .domainNotAllowedAdvice: "打开此页面的网站无权使用此登录方式。如果您是网站的运营者，请将其域名添加到项目的已授权域名中。"
        case .providerUnavailable: "登录服务没有响应"
        case .providerUnavailableAdvice: "请稍等片刻再试。未做任何更改。您也可以返回应用，用其他方式登录。"
        case .rejected: "未能登录"
        case .rejectedAdvice: "未做任何更改。请返回应用并重新登录。"
        case .cancelled: "您已取消登录"
        case .cancelledAdvice: "未做任何更改。您可以返回应用。"
        case .notOffered: "此登录方式不可用"
        case .notOfferedAdvice: "请返回应用，用其他方式登录。"
        case .malformed: "此登录链接不完整"
        case .malformedAdvice: "请返回应用并重新登录。如果再次看到此页面，请联系应用的运营者。"
        }
    }
}
