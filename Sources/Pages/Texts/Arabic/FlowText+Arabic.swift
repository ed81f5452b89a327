// One text per line, however long it is.
// swift-format-ignore-file

extension FlowText {
    var arabic: StaticString {
        switch self {
        case .signingIn: "جارٍ تسجيل الدخول…"
        case .returning: "ستعود إلى التطبيق."
        case .needsScript: "تحتاج هذه الصفحة إلى JavaScript. فعّل JavaScript في متصفحك وسجّل الدخول من جديد."
        case .noResponse: "لا يستجيب التطبيق. أغلق هذه النافذة وارجع إلى التطبيق وسجّل الدخول من جديد."
        case .tryAgain: "المحاولة مرة أخرى"
        case .backToApp: "الرجوع إلى التطبيق"
        case .expired: "انتهت مهلة تسجيل الدخول هذا"
        case .expiredAdvice: "لديك عشر دقائق لتسجيل الدخول. ارجع إلى التطبيق وسجّل الدخول من جديد. لم يتغيّر شيء."
        case .otherBrowser: "لا يمكننا إكمال تسجيل الدخول هذا"
        case .otherBrowserAdvice: "لم يبدأ تسجيل الدخول في هذا المتصفح، أو أنه لا يحفظ ملفات تعريف الارتباط. ارجع إلى التطبيق واسمح بملفات تعريف الارتباط وسجّل الدخول من جديد في المتصفح نفسه. لم يتغيّر شيء."
        case .alreadyUsed: "اكتمل تسجيل الدخول هذا بالفعل"
        case .alreadyUsedAdvice: "ارجع إلى التطبيق. إذا لم يتم تسجيل دخولك فيه، فسجّل الدخول من جديد."
        case .domainNotAllowed: "لا يمكن لهذا الموقع استخدام تسجيل الدخول هذا"
        case .domainNotAllowedAdvice: "الموقع الذي فتح هذه الصفحة غير مصرّح له باستخدام تسجيل الدخول هذا. إذا كنت تدير الموقع، فأضف نطاقه إلى النطاقات المصرّح بها في المشروع."
        case .providerUnavailable: "لا تستجيب خدمة تسجيل الدخول"
        case .providerUnavailableAdvice: "انتظر لحظة، ثم حاول مرة أخرى. لم يتغيّر شيء. يمكنك أيضًا الرجوع إلى التطبيق وتسجيل الدخول بطريقة أخرى."
        case .rejected: "لم نتمكّن من تسجيل دخولك"
        case .rejectedAdvice: "لم يتغيّر شيء. ارجع إلى التطبيق وسجّل الدخول من جديد."
        case .cancelled: "ألغيت تسجيل الدخول"
        case .cancelledAdvice: "لم يتغيّر شيء. يمكنك الرجوع إلى التطبيق."
        case .notOffered: "طريقة تسجيل الدخول هذه غير متاحة"
        case .notOfferedAdvice: "ارجع إلى التطبيق وسجّل الدخول بطريقة أخرى."
        case .malformed: "رابط تسجيل الدخول هذا غير مكتمل"
        case .malformedAdvice: "ارجع إلى التطبيق وسجّل الدخول من جديد. إذا ظهرت هذه الصفحة مرة أخرى، فتواصل مع القائمين على التطبيق."
        }
    }
}
