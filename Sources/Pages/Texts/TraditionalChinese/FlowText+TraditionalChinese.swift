// One text per line, however long it is.
// swift-format-ignore-file

extension FlowText {
    var traditionalChinese: StaticString {
        switch self {
        case .signingIn: "正在登入…"
        case .returning: "即將返回應用程式。"
        case .needsScript: "此頁面需要 JavaScript。請在瀏覽器中啟用 JavaScript，然後重新登入。"
        case .noResponse: "應用程式沒有回應。請關閉此視窗，返回應用程式並重新登入。"
        case .tryAgain: "再試一次"
        case .backToApp: "返回應用程式"
        case .expired: "此次登入已過期"
        case .expiredAdvice: "登入須在 10 分鐘內完成。請返回應用程式並重新登入。未做任何變更。"
        case .otherBrowser: "無法完成此次登入"
        case .otherBrowserAdvice: "此次登入不是在這個瀏覽器中開始的，或是瀏覽器未儲存 Cookie。請返回應用程式，允許 Cookie，然後在同一個瀏覽器中重新登入。未做任何變更。"
        case .alreadyUsed: "此次登入已完成"
        case .alreadyUsedAdvice: "請返回應用程式。如果尚未登入，請重新登入。"
        case .domainNotAllowed: "此網站無法使用此登入方式"
        case .domainNotAllowedAdvice: "開啟此頁面的網站無權使用此登入方式。如果您是網站的營運者，請將其網域加入專案的已授權網域。"
        case .providerUnavailable: "登入服務沒有回應"
        case .providerUnavailableAdvice: "請稍候片刻再試一次。未做任何變更。您也可以返回應用程式，以其他方式登入。"
        case .rejected: "無法登入"
        case .rejectedAdvice: "未做任何變更。請返回應用程式並重新登入。"
        case .cancelled: "您已取消登入"
        case .cancelledAdvice: "未做任何變更。您可以返回應用程式。"
        case .notOffered: "無法使用此登入方式"
        case .notOfferedAdvice: "請返回應用程式，以其他方式登入。"
        case .malformed: "此登入連結不完整"
        case .malformedAdvice: "請返回應用程式並重新登入。如果再次看到此頁面，請聯絡應用程式的營運者。"
        }
    }
}
