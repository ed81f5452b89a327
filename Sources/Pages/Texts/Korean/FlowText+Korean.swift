// One text per line, however long it is.
// swift-format-ignore-file

extension FlowText {
    var korean: StaticString {
        switch self {
        case .signingIn: "로그인하는 중…"
        case .returning: "앱으로 돌아갑니다."
        case .needsScript: "이 페이지에는 JavaScript가 필요합니다. 브라우저에서 JavaScript를 켜고 다시 로그인하세요."
        case .noResponse: "앱이 응답하지 않습니다. 이 창을 닫고 앱으로 돌아가 다시 로그인하세요."
        case .tryAgain: "다시 시도"
        case .backToApp: "앱으로 돌아가기"
        case .expired: "로그인이 만료되었습니다"
        case .expiredAdvice: "로그인은 10분 안에 완료해야 합니다. 앱으로 돌아가 다시 로그인하세요. 변경된 내용은 없습니다."
        case .otherBrowser: "로그인을 완료할 수 없습니다"
        case .otherBrowserAdvice: "이 브라우저에서 시작한 로그인이 아니거나 브라우저가 쿠키를 저장하지 않습니다. 앱으로 돌아가 쿠키를 허용하고 같은 브라우저에서 다시 로그인하세요. 변경된 내용은 없습니다."
        case .alreadyUsed: "이미 완료된 로그인입니다"
        case .alreadyUsedAdvice: "앱으로 돌아가세요. 로그인되어 있지 않으면 다시 로그인하세요."
        case .domainNotAllowed: "이 웹사이트에서는 이 로그인을 사용할 수 없습니다"
        case .domainNotAllowedAdvice: "이 페이지를 연 웹사이트는 이 로그인을 사용할 수 없습니다. 웹사이트 운영자라면 프로젝트의 승인된 도메인에 웹사이트의 도메인을 추가하세요."
        case .providerUnavailable: "로그인 서비스가 응답하지 않습니다"
        case .providerUnavailableAdvice: "잠시 후 다시 시도하세요. 변경된 내용은 없습니다. 앱으로 돌아가 다른 방법으로 로그인할 수도 있습니다."
        case .rejected: "로그인하지 못했습니다"
        case .rejectedAdvice: "변경된 내용은 없습니다. 앱으로 돌아가 다시 로그인하세요."
        case .cancelled: "로그인을 취소했습니다"
        case .cancelledAdvice: "변경된 내용은 없습니다. 앱으로 돌아가도 됩니다."
        case .notOffered: "사용할 수 없는 로그인 방법입니다"
        case .notOfferedAdvice: "앱으로 돌아가 다른 방법으로 로그인하세요."
        case .malformed: "로그인 링크가 올바르지 않습니다"
        case .malformedAdvice: "앱으로 돌아가 다시 로그인하세요. 이 페이지가 다시 나타나면 앱 운영자에게 문의하세요."
        }
    }
}
