internal import Encoding

/// The words that screens show in place of values of the API. A later release of the API can have further values, which
/// screens show unchanged.
enum Words {
    /// How a user signed in, or signs in.
    static func method(_ value: String) -> String {
        switch value {
        case "password": "password"
        case "emailLink": "email link"
        case "anonymous": "guest"
        case "phone": "telephone number"
        case "custom": "custom token"
        default: value
        }
    }

    /// How reliable the address of an identity is.
    static func trust(_ value: String) -> String {
        switch value {
        case "none": "none: the provider has not verified the address"
        case "verified": "the provider verified the address once"
        case "authoritative": "the provider runs the mailbox"
        default: value
        }
    }

    /// Apple's estimate at the first sign-in.
    static func realUserStatus(_ value: String) -> String {
        switch value {
        case "LIKELY_REAL": "likely a real person"
        case "UNKNOWN": "not known whether a real person"
        case "UNSUPPORTED": "no estimate whether a real person"
        default: value
        }
    }

    /// The kind of an email, or the purpose of a text message.
    static func message(_ value: String) -> String {
        switch value {
        case "VERIFY_EMAIL": "Verification of an address"
        case "PASSWORD_RESET": "Password reset"
        case "EMAIL_SIGNIN": "Sign-in link"
        case "VERIFY_AND_CHANGE_EMAIL": "Change of an address"
        case "SIGN_IN_CODE": "Sign-in code"
        case "SIGN_UP_CODE": "Sign-up code"
        case "ACCOUNT_EXISTS": "How to sign in instead of signing up"
        case "SIGN_IN": "Sign-in code"
        case "SECOND_FACTOR": "Code of a second factor"
        default:
            value.beginsExactly(with: "notice.")
                ? "Notice: " + value.dropFirst("notice.".count).replacing("-", with: " ") : value
        }
    }

    /// The state of something that the gateway repeats, or of a listener.
    static func state(_ value: String) -> String { value.isExactly("givenUp") ? "given up" : value }

    /// Why an event was not delivered.
    static func deliveryFailure(_ value: String) -> String {
        switch value {
        case "destinationNotAllowed": "the address is not public"
        case "protocol": "the response is not valid HTTP"
        case "redirect": "the endpoint redirects"
        case "status": "the status is not a success"
        case "timeout": "no response in time"
        case "tls": "no valid certificate"
        case "unreachable": "no connection"
        default: value
        }
    }

    static func platform(_ value: String) -> String {
        switch value {
        case "ios": "iOS"
        case "macos": "macOS"
        case "tvos": "tvOS"
        case "watchos": "watchOS"
        case "visionos": "visionOS"
        case "android": "Android"
        case "windows": "Windows"
        case "web": "Web"
        default: value
        }
    }

    /// What a provider is to the apps of the project.
    static func relation(_ value: String) -> String {
        switch value {
        case "social": "social login"
        case "own": "own account system"
        case "organisation": "an organisation's accounts"
        case "thirdPartyService": "the service that the app is a client of"
        default: value
        }
    }
}
