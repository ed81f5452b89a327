// One text per line, however long it is.
// swift-format-ignore-file

extension FlowText {
    var french: StaticString {
        switch self {
        case .signingIn: "Connexion en cours…"
        case .returning: "Vous allez revenir à l’application."
        case .needsScript: "Cette page a besoin de JavaScript. Activez JavaScript dans votre navigateur et connectez-vous de nouveau."
        case .noResponse: "L’application ne répond pas. Fermez cette fenêtre, revenez à l’application et connectez-vous de nouveau."
        case .tryAgain: "Réessayer"
        case .backToApp: "Revenir à l’application"
        case .expired: "Cette connexion a expiré"
        case .expiredAdvice: "Vous avez dix minutes pour vous connecter. Revenez à l’application et connectez-vous de nouveau. Rien n’a été modifié."
        case .otherBrowser: "Impossible de terminer cette connexion"
        case .otherBrowserAdvice: "La connexion n’a pas commencé dans ce navigateur, ou il n’enregistre pas les cookies. Revenez à l’application, autorisez les cookies et connectez-vous de nouveau dans le même navigateur. Rien n’a été modifié."
        case .alreadyUsed: "Cette connexion est déjà terminée"
        case .alreadyUsedAdvice: "Revenez à l’application. Si vous n’y êtes pas connecté, connectez-vous de nouveau."
        case .domainNotAllowed: "Ce site web ne peut pas utiliser cette connexion"
        case .domainNotAllowedAdvice: "Le site web qui a ouvert cette page n’est pas autorisé à utiliser cette connexion. Si vous gérez ce site, ajoutez son domaine aux domaines autorisés du projet."
        case .providerUnavailable: "Le service de connexion ne répond pas"
        case .providerUnavailableAdvice: "Attendez un instant, puis réessayez. Rien n’a été modifié. Vous pouvez aussi revenir à l’application et vous connecter autrement."
        case .rejected: "La connexion n’a pas abouti"
        case .rejectedAdvice: "Rien n’a été modifié. Revenez à l’application et connectez-vous de nouveau."
        case .cancelled: "Vous avez annulé la connexion"
        case .cancelledAdvice: "Rien n’a été modifié. Vous pouvez revenir à l’application."
        case .notOffered: "Cette connexion n’est pas disponible"
        case .notOfferedAdvice: "Revenez à l’application et connectez-vous autrement."
        case .malformed: "Ce lien de connexion est incomplet"
        case .malformedAdvice: "Revenez à l’application et connectez-vous de nouveau. Si cette page réapparaît, contactez l’éditeur de l’application."
        }
    }
}
