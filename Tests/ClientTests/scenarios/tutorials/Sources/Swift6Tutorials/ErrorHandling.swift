import Foundation
import SekishoAuth

// The forms of error handling that tutorials use. They only have to compile.

func message(for error: any Error) -> String {
    if let authError = error as? AuthErrorCode {
        switch authError.code {
        case .userNotFound, .wrongPassword, .invalidCredential: return "Wrong address or password"
        case .userDisabled: return "This account is disabled"
        case .networkError: return "No connection"
        case .tooManyRequests: return "Try again later"
        case .requiresRecentLogin: return "Sign in again"
        default: return authError.localizedDescription
        }
    }
    return error.localizedDescription
}

func conflictingCredential(of error: any Error) -> AuthCredential? {
    let error = error as NSError
    let isConflict =
        error.domain == AuthErrorDomain
        && (error.code == AuthErrorCode.accountExistsWithDifferentCredential.rawValue
            || AuthErrorCode.Code(rawValue: error.code) == .credentialAlreadyInUse)
    return isConflict ? error.userInfo[AuthErrorUserInfoUpdatedCredentialKey] as? AuthCredential : nil
}

func code(of error: NSError) -> AuthErrorCode.Code { AuthErrorCode(_nsError: error).code }

func isPassword(_ providerID: String) -> Bool { providerID == EmailAuthProviderID }
