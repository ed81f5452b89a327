// One text per line, however long it is.
// swift-format-ignore-file

extension FlowText {
    var portuguese: StaticString {
        switch self {
        case .signingIn: "Fazendo login…"
        case .returning: "Você voltará para o app."
        case .needsScript: "Esta página precisa de JavaScript. Ative o JavaScript no navegador e faça login de novo."
        case .noResponse: "O app não responde. Feche esta janela, volte para o app e faça login de novo."
        case .tryAgain: "Tentar de novo"
        case .backToApp: "Voltar para o app"
        case .expired: "Este login expirou"
        case .expiredAdvice: "Você tem dez minutos para fazer login. Volte para o app e faça login de novo. Nada foi alterado."
        case .otherBrowser: "Não foi possível concluir este login"
        case .otherBrowserAdvice: "O login não começou neste navegador, ou o navegador não armazena cookies. Volte para o app, permita cookies e faça login de novo no mesmo navegador. Nada foi alterado."
        case .alreadyUsed: "Este login já foi concluído"
        case .alreadyUsedAdvice: "Volte para o app. Se você não estiver conectado, faça login de novo."
        case .domainNotAllowed: "Este site não pode usar este login"
        case .domainNotAllowedAdvice: "O site que abriu esta página não tem permissão para usar este login. Se você administra o site, adicione o domínio dele aos domínios autorizados do projeto."
        case .providerUnavailable: "O serviço de login não responde"
        case .providerUnavailableAdvice: "Aguarde um momento e tente de novo. Nada foi alterado. Você também pode voltar para o app e fazer login de outra forma."
        case .rejected: "Não foi possível fazer login"
        case .rejectedAdvice: "Nada foi alterado. Volte para o app e faça login de novo."
        case .cancelled: "Você cancelou o login"
        case .cancelledAdvice: "Nada foi alterado. Você pode voltar para o app."
        case .notOffered: "Este login não está disponível"
        case .notOfferedAdvice: "Volte para o app e faça login de outra forma."
        case .malformed: "Este link de login está incompleto"
        case .malformedAdvice: "Volte para o app e faça login de novo. Se esta página aparecer de novo, entre em contato com os responsáveis pelo app."
        }
    }
}
