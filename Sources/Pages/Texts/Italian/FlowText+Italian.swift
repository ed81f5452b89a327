// One text per line, however long it is.
// swift-format-ignore-file

extension FlowText {
    var italian: StaticString {
        switch self {
        case .signingIn: "Accesso in corso…"
        case .returning: "Stai per tornare all’app."
        case .needsScript: "Questa pagina ha bisogno di JavaScript. Attiva JavaScript nel browser e accedi di nuovo."
        case .noResponse: "L’app non risponde. Chiudi questa finestra, torna all’app e accedi di nuovo."
        case .tryAgain: "Riprova"
        case .backToApp: "Torna all’app"
        case .expired: "Questo accesso è scaduto"
        case .expiredAdvice: "Hai dieci minuti per accedere. Torna all’app e accedi di nuovo. Non è stato modificato nulla."
        case .otherBrowser: "Non è possibile completare questo accesso"
        case .otherBrowserAdvice: "L’accesso non è iniziato in questo browser, oppure il browser non salva i cookie. Torna all’app, consenti i cookie e accedi di nuovo nello stesso browser. Non è stato modificato nulla."
        case .alreadyUsed: "Questo accesso è già stato completato"
        case .alreadyUsedAdvice: "Torna all’app. Se lì non hai effettuato l’accesso, accedi di nuovo."
        case .domainNotAllowed: "Questo sito web non può usare questo accesso"
        case .domainNotAllowedAdvice: "Il sito web che ha aperto questa pagina non è autorizzato a usare questo accesso. Se gestisci il sito web, aggiungi il suo dominio ai domini autorizzati del progetto."
        case .providerUnavailable: "Il servizio di accesso non risponde"
        case .providerUnavailableAdvice: "Aspetta un momento, poi riprova. Non è stato modificato nulla. Puoi anche tornare all’app e accedere in un altro modo."
        case .rejected: "Accesso non riuscito"
        case .rejectedAdvice: "Non è stato modificato nulla. Torna all’app e accedi di nuovo."
        case .cancelled: "Hai annullato l’accesso"
        case .cancelledAdvice: "Non è stato modificato nulla. Puoi tornare all’app."
        case .notOffered: "Questo accesso non è disponibile"
        case .notOfferedAdvice: "Torna all’app e accedi in un altro modo."
        case .malformed: "Questo link di accesso è incompleto"
        case .malformedAdvice: "Torna all’app e accedi di nuovo. Se vedi ancora questa pagina, contatta chi gestisce l’app."
        }
    }
}
