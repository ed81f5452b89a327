// One text per line, however long it is.
// swift-format-ignore-file

extension FlowText {
    var spanish: StaticString {
        switch self {
        case .signingIn: "Iniciando sesión…"
        case .returning: "Volverá a la aplicación."
        case .needsScript: "Esta página necesita JavaScript. Active JavaScript en su navegador y vuelva a iniciar sesión."
        case .noResponse: "La aplicación no responde. Cierre esta ventana, vuelva a la aplicación e inicie sesión de nuevo."
        case .tryAgain: "Volver a intentarlo"
        case .backToApp: "Volver a la aplicación"
        case .expired: "Este inicio de sesión ha caducado"
        case .expiredAdvice: "Tiene diez minutos para iniciar sesión. Vuelva a la aplicación e inicie sesión de nuevo. No se ha cambiado nada."
        case .otherBrowser: "No se puede terminar este inicio de sesión"
        case .otherBrowserAdvice: "El inicio de sesión no comenzó en este navegador, o el navegador no guarda cookies. Vuelva a la aplicación, permita las cookies e inicie sesión de nuevo en el mismo navegador. No se ha cambiado nada."
        case .alreadyUsed: "Este inicio de sesión ya ha terminado"
        case .alreadyUsedAdvice: "Vuelva a la aplicación. Si no tiene la sesión iniciada, iníciela de nuevo."
        case .domainNotAllowed: "Este sitio web no puede usar este inicio de sesión"
        case .domainNotAllowedAdvice: "El sitio web que abrió esta página no tiene permiso para usar este inicio de sesión. Si usted administra el sitio web, añada su dominio a los dominios autorizados del proyecto."
        case .providerUnavailable: "El servicio de inicio de sesión no responde"
        case .providerUnavailableAdvice: "Espere un momento y vuelva a intentarlo. No se ha cambiado nada. También puede volver a la aplicación e iniciar sesión de otra forma."
        case .rejected: "No se ha podido iniciar sesión"
        case .rejectedAdvice: "No se ha cambiado nada. Vuelva a la aplicación e inicie sesión de nuevo."
        case .cancelled: "Ha cancelado el inicio de sesión"
        case .cancelledAdvice: "No se ha cambiado nada. Puede volver a la aplicación."
        case .notOffered: "Este inicio de sesión no está disponible"
        case .notOfferedAdvice: "Vuelva a la aplicación e inicie sesión de otra forma."
        case .malformed: "Este enlace de inicio de sesión está incompleto"
        case .malformedAdvice: "Vuelva a la aplicación e inicie sesión de nuevo. Si vuelve a ver esta página, póngase en contacto con los responsables de la aplicación."
        }
    }
}
