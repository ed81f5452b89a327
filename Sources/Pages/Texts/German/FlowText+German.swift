// One text per line, however long it is.
// swift-format-ignore-file

extension FlowText {
    var german: StaticString {
        switch self {
        case .signingIn: "Anmeldung läuft …"
        case .returning: "Sie kehren gleich zur App zurück."
        case .needsScript: "Diese Seite braucht JavaScript. Schalten Sie JavaScript im Browser ein und melden Sie sich noch einmal an."
        case .noResponse: "Die App antwortet nicht. Schließen Sie dieses Fenster, kehren Sie zur App zurück und melden Sie sich noch einmal an."
        case .tryAgain: "Noch einmal versuchen"
        case .backToApp: "Zurück zur App"
        case .expired: "Diese Anmeldung ist abgelaufen"
        case .expiredAdvice: "Für die Anmeldung haben Sie zehn Minuten Zeit. Kehren Sie zur App zurück und melden Sie sich noch einmal an. Es wurde nichts geändert."
        case .otherBrowser: "Die Anmeldung kann nicht abgeschlossen werden"
        case .otherBrowserAdvice: "Die Anmeldung wurde nicht in diesem Browser begonnen oder der Browser speichert keine Cookies. Kehren Sie zur App zurück, erlauben Sie Cookies und melden Sie sich im selben Browser noch einmal an. Es wurde nichts geändert."
        case .alreadyUsed: "Diese Anmeldung ist schon abgeschlossen"
        case .alreadyUsedAdvice: "Kehren Sie zur App zurück. Wenn Sie dort nicht angemeldet sind, melden Sie sich noch einmal an."
        case .domainNotAllowed: "Diese Website darf diese Anmeldung nicht verwenden"
        case .domainNotAllowedAdvice: "Die Website, die diese Seite geöffnet hat, darf diese Anmeldung nicht verwenden. Wenn Sie die Website betreiben, nehmen Sie ihre Domain in die autorisierten Domains des Projekts auf."
        case .providerUnavailable: "Der Anmeldedienst antwortet nicht"
        case .providerUnavailableAdvice: "Warten Sie einen Moment und versuchen Sie es dann noch einmal. Es wurde nichts geändert. Sie können auch zur App zurückkehren und sich auf andere Weise anmelden."
        case .rejected: "Die Anmeldung hat nicht funktioniert"
        case .rejectedAdvice: "Es wurde nichts geändert. Kehren Sie zur App zurück und melden Sie sich noch einmal an."
        case .cancelled: "Sie haben die Anmeldung abgebrochen"
        case .cancelledAdvice: "Es wurde nichts geändert. Sie können zur App zurückkehren."
        case .notOffered: "Diese Anmeldung ist nicht verfügbar"
        case .notOfferedAdvice: "Kehren Sie zur App zurück und melden Sie sich auf andere Weise an."
        case .malformed: "Dieser Anmeldelink ist unvollständig"
        case .malformedAdvice: "Kehren Sie zur App zurück und melden Sie sich noch einmal an. Wenn diese Seite wieder erscheint, wenden Sie sich an den Betreiber der App."
        }
    }
}
