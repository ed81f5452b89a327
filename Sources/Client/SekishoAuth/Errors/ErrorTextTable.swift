/// What an app or a page shows for an error, and what the user can do.
///
/// The folder of the gateway's API has a symbolic link to this file, so that the gateway responds with the same texts.
struct ErrorTextEntry: Sendable {
    /// The values of the member `action`.
    enum Action: String, CaseIterable, Sendable {
        case retry, wait, reauthenticate, checkInput, otherMethod, contactSupport
    }

    /// The gateway's error codes with this text.
    var codes: [String] = []
    /// The numbers of the library's error codes with this text. The text of the gateway's code has precedence.
    var numbers: [Int] = []
    let action: Action
    let english: (title: String, text: String)
    let japanese: (title: String, text: String)
}

enum ErrorTextTable {
    /// The entry for errors that the table does not contain.
    static let general = ErrorTextEntry(
        numbers: [17062, 17999],
        action: .retry,
        english: ("Something went wrong", "Try again. If this happens again, contact support."),
        japanese: ("問題が発生しました", "もう一度お試しください。繰り返し発生する場合は、サポートにお問い合わせください。"))

    /// Every code and every number occurs once.
    static let entries = [
        general,
        ErrorTextEntry(
            numbers: [17020, 17061],
            action: .retry,
            english: ("No connection", "Check your internet connection, then try again."),
            japanese: ("接続できません", "インターネット接続を確認して、もう一度お試しください。")),
        ErrorTextEntry(
            codes: ["TOO_MANY_ATTEMPTS_TRY_LATER", "QUOTA_EXCEEDED", "QUERY_DEADLINE_EXCEEDED"],
            numbers: [17010, 17052],
            action: .wait,
            english: ("Too many attempts", "Wait a few minutes, then try again."),
            japanese: ("試行回数が多すぎます", "数分待ってから、もう一度お試しください。")),
        ErrorTextEntry(
            codes: ["INVALID_LOGIN_CREDENTIALS"],
            action: .checkInput,
            english: ("Wrong email address or password", "Check both and try again, or reset your password."),
            japanese: ("メールアドレスまたはパスワードが違います", "両方を確認してもう一度お試しになるか、パスワードを再設定してください。")),
        ErrorTextEntry(
            codes: ["INVALID_PASSWORD"],
            numbers: [17009],
            action: .checkInput,
            english: ("Wrong password", "Check your password and try again, or reset it."),
            japanese: ("パスワードが違います", "パスワードを確認してもう一度お試しになるか、再設定してください。")),
        ErrorTextEntry(
            codes: ["MISSING_PASSWORD"],
            action: .checkInput,
            english: ("Enter your password", "Enter your password, then try again."),
            japanese: ("パスワードを入力してください", "パスワードを入力して、もう一度お試しください。")),
        ErrorTextEntry(
            codes: ["EMAIL_NOT_FOUND", "USER_NOT_FOUND"],
            numbers: [17011],
            action: .checkInput,
            english: ("Account not found", "This account does not exist. Check your details, or create an account."),
            japanese: ("アカウントが見つかりません", "このアカウントは存在しません。入力内容を確認するか、アカウントを作成してください。")),
        ErrorTextEntry(
            codes: [
                "CREDENTIAL_MISMATCH", "INVALID_CREDENTIAL_OR_PROVIDER_ID", "INVALID_CUSTOM_TOKEN",
                "DUPLICATE_MFA_ENROLLMENT_ID", "INVALID_IDP_RESPONSE", "INVALID_MFA_ENROLLMENT_ID",
                "INVALID_MFA_PENDING_CREDENTIAL", "INVALID_PENDING_TOKEN", "MFA_ENROLLMENT_NOT_FOUND",
                "MISSING_CREDENTIAL", "MISSING_MFA_ENROLLMENT_ID", "MISSING_MFA_PENDING_CREDENTIAL",
                "MISSING_SESSION_INFO",
                "MISSING_OR_INVALID_NONCE",
            ],
            numbers: [17000, 17002, 17004, 17063, 17075, 17081, 17082, 17083, 17084, 17094, 18000],
            action: .retry,
            english: ("The sign-in did not work", "Start the sign-in again."),
            japanese: ("サインインできませんでした", "もう一度サインインをやり直してください。")),
        ErrorTextEntry(
            codes: ["USER_DISABLED"],
            numbers: [17005],
            action: .contactSupport,
            english: ("Account disabled", "This account has been disabled. Contact support."),
            japanese: ("アカウントは無効です", "このアカウントは無効になっています。サポートにお問い合わせください。")),
        ErrorTextEntry(
            codes: [
                "LOGIN_SERVICES_4_8", "NOT_IMPLEMENTED", "OPERATION_NOT_ALLOWED", "PASSWORD_LOGIN_DISABLED",
                "UNSUPPORTED_FIRST_FACTOR",
            ],
            numbers: [17006, 17066, 17089],
            action: .otherMethod,
            english: ("Not available", "This is not available here. Choose another way to sign in."),
            japanese: ("利用できません", "この方法は利用できません。別のサインイン方法を選んでください。")),
        ErrorTextEntry(
            codes: ["ADMIN_ONLY_OPERATION", "BLOCKING_FUNCTION_ERROR_RESPONSE", "MAXIMUM_USER_COUNT_EXCEEDED"],
            numbers: [17085, 17105],
            action: .contactSupport,
            english: ("Not allowed", "You cannot do this yourself. Contact support."),
            japanese: ("許可されていません", "この操作はご自身では行えません。サポートにお問い合わせください。")),
        ErrorTextEntry(
            codes: ["DUPLICATE_EMAIL", "EMAIL_EXISTS"],
            numbers: [17007],
            action: .otherMethod,
            english: (
                "Email address already in use",
                "An account with this email address already exists. Sign in instead."
            ),
            japanese: ("メールアドレスは使用されています", "このメールアドレスのアカウントがすでにあります。サインインしてください。")),
        ErrorTextEntry(
            codes: [
                "INVALID_EMAIL", "INVALID_IDENTIFIER", "INVALID_NEW_EMAIL", "INVALID_RECIPIENT_EMAIL", "MISSING_EMAIL",
                "MISSING_IDENTIFIER", "MISSING_NEW_EMAIL",
            ],
            numbers: [17008, 17033, 17034],
            action: .checkInput,
            english: ("Check the email address", "Enter a valid email address."),
            japanese: ("メールアドレスを確認してください", "正しいメールアドレスを入力してください。")),
        ErrorTextEntry(
            numbers: [17012],
            action: .otherMethod,
            english: (
                "You already have an account",
                "Sign in the way you did before. After that, you can add this way to sign in."
            ),
            japanese: ("すでにアカウントがあります", "以前と同じ方法でサインインしてください。その後、この方法を追加できます。")),
        ErrorTextEntry(
            codes: ["CREDENTIAL_TOO_OLD_LOGIN_AGAIN"],
            numbers: [17014],
            action: .reauthenticate,
            english: ("Confirm that it is you", "Sign in again to continue."),
            japanese: ("ご本人の確認が必要です", "続けるには、もう一度サインインしてください。")),
        ErrorTextEntry(
            codes: ["PROVIDER_ALREADY_LINKED", "SECOND_FACTOR_EXISTS"],
            numbers: [17015, 17087],
            action: .otherMethod,
            english: ("Already added", "This is already part of your account."),
            japanese: ("すでに追加されています", "すでにアカウントに追加されています。")),
        ErrorTextEntry(
            codes: ["IDENTITY_NOT_FOUND", "SESSION_NOT_FOUND"],
            numbers: [17016],
            action: .checkInput,
            english: ("Not found", "This is no longer part of your account."),
            japanese: ("見つかりません", "現在のアカウントには含まれていません。")),
        ErrorTextEntry(
            codes: [
                "INVALID_ID_TOKEN", "INVALID_REFRESH_TOKEN", "MISSING_ID_TOKEN", "MISSING_REFRESH_TOKEN",
                "TOKEN_EXPIRED",
            ],
            numbers: [17017, 17021, 17067],
            action: .reauthenticate,
            english: ("You are signed out", "Sign in again to continue."),
            japanese: ("サインアウトしました", "続けるには、もう一度サインインしてください。")),
        ErrorTextEntry(
            codes: ["FEDERATED_USER_ID_ALREADY_LINKED"],
            numbers: [17025],
            action: .otherMethod,
            english: (
                "Used by another account",
                "Another account uses this way to sign in. Sign in to that account, or choose another way."
            ),
            japanese: ("別のアカウントで使用されています", "このサインイン方法は別のアカウントで使用されています。そのアカウントにサインインするか、別の方法を選んでください。")),
        ErrorTextEntry(
            codes: ["PHONE_NUMBER_EXISTS"],
            action: .checkInput,
            english: ("Phone number already in use", "Another account uses this phone number. Enter another number."),
            japanese: ("電話番号は使用されています", "この電話番号は別のアカウントで使用されています。別の番号を入力してください。")),
        ErrorTextEntry(
            codes: ["USER_MISMATCH"],
            numbers: [17024],
            action: .reauthenticate,
            english: (
                "A different account",
                "You chose a different account. Sign in with the account that you are using now."
            ),
            japanese: ("別のアカウントです", "別のアカウントが選択されました。現在ご利用中のアカウントでサインインしてください。")),
        ErrorTextEntry(
            codes: ["PASSWORD_DOES_NOT_MEET_REQUIREMENTS", "WEAK_PASSWORD"],
            numbers: [17026, 17211],
            action: .checkInput,
            english: (
                "Choose another password",
                "This password is too easy to guess or does not follow the rules. Choose a longer one."
            ),
            japanese: ("別のパスワードを選んでください", "このパスワードは推測されやすいか、条件を満たしていません。より長いパスワードを選んでください。")),
        ErrorTextEntry(
            codes: ["EXPIRED_OOB_CODE", "INVALID_TEMPORARY_PROOF", "SESSION_EXPIRED"],
            numbers: [17029, 17051],
            action: .retry,
            english: ("The link or code has expired", "Request a new one."),
            japanese: ("リンクまたはコードの有効期限が切れています", "新しいものをリクエストしてください。")),
        ErrorTextEntry(
            codes: ["INVALID_OOB_CODE", "MISSING_OOB_CODE"],
            numbers: [17030],
            action: .retry,
            english: ("The link or code does not work", "It may have been used already. Request a new one."),
            japanese: ("リンクまたはコードが無効です", "すでに使用された可能性があります。新しいものをリクエストしてください。")),
        ErrorTextEntry(
            codes: ["INVALID_CODE", "INVALID_SESSION_INFO", "MISSING_CODE"],
            numbers: [17043, 17044, 17045, 17046],
            action: .checkInput,
            english: ("Wrong code", "Check the code, then try again."),
            japanese: ("コードが違います", "コードを確認して、もう一度お試しください。")),
        ErrorTextEntry(
            codes: ["INVALID_MFA_PHONE_NUMBER", "INVALID_PHONE_NUMBER", "MISSING_PHONE_NUMBER"],
            numbers: [17041, 17042],
            action: .checkInput,
            english: ("Check the phone number", "Enter the number with its country code, for example +81."),
            japanese: ("電話番号を確認してください", "国番号（例：+81）から始まる番号を入力してください。")),
        ErrorTextEntry(
            codes: ["LAST_SIGN_IN_METHOD"],
            numbers: [20001],
            action: .otherMethod,
            english: ("Your only way to sign in", "Add another way to sign in before you remove this one."),
            japanese: ("唯一のサインイン方法です", "削除する前に、別のサインイン方法を追加してください。")),
        ErrorTextEntry(
            codes: ["USER_CANCELLED"],
            numbers: [17058],
            action: .retry,
            english: ("Sign-in cancelled", "You cancelled the sign-in. You can start it again."),
            japanese: ("サインインがキャンセルされました", "もう一度サインインを始められます。")),
        ErrorTextEntry(
            numbers: [17057],
            action: .retry,
            english: ("Another sign-in is open", "Finish or close it, then try again."),
            japanese: ("別のサインインが進行中です", "完了するか閉じてから、もう一度お試しください。")),
        ErrorTextEntry(
            numbers: [17995],
            action: .retry,
            english: ("The sign-in could not be saved", "Unlock your device, then try again."),
            japanese: ("サインインを保存できませんでした", "デバイスのロックを解除して、もう一度お試しください。")),
        ErrorTextEntry(
            codes: ["UNVERIFIED_EMAIL"],
            numbers: [17086],
            action: .checkInput,
            english: ("Confirm your email address first", "Open the link in the email that we sent you."),
            japanese: ("先にメールアドレスを確認してください", "お送りしたメールのリンクを開いてください。")),
        ErrorTextEntry(
            codes: ["EMAIL_CHANGE_NEEDS_VERIFICATION"],
            numbers: [17090],
            action: .checkInput,
            english: ("Confirm the new email address", "Open the link in the email to the new address."),
            japanese: ("新しいメールアドレスを確認してください", "新しいアドレスに届いたメールのリンクを開いてください。")),
        ErrorTextEntry(
            numbers: [17078],
            action: .checkInput,
            english: ("One more step", "Confirm the sign-in with your second step."),
            japanese: ("追加の確認が必要です", "2 段階目の確認を行ってください。")),
        ErrorTextEntry(
            codes: ["SECOND_FACTOR_ENROLLMENT_REQUIRED"],
            action: .otherMethod,
            english: ("Add a second step", "Set up a second step for your sign-in, then try again."),
            japanese: ("追加の確認方法が必要です", "サインインの追加の確認方法を設定して、もう一度お試しください。")),
        ErrorTextEntry(
            codes: ["SECOND_FACTOR_LIMIT_EXCEEDED"],
            numbers: [17088],
            action: .checkInput,
            english: ("Too many second steps", "Remove one before you add another."),
            japanese: ("追加の確認方法が多すぎます", "新しく追加する前に、いずれかを削除してください。")),
        ErrorTextEntry(
            codes: ["PASSKEY_EXISTS"],
            action: .otherMethod,
            english: ("Passkey already in use", "Sign in with the passkey that this device already has."),
            japanese: ("パスキーは登録済みです", "この端末にあるパスキーでサインインしてください。")),
        ErrorTextEntry(
            codes: ["PASSKEY_LIMIT_EXCEEDED"],
            action: .checkInput,
            english: ("Too many passkeys", "Remove a passkey before you add another."),
            japanese: ("パスキーが多すぎます", "新しく追加する前に、いずれかのパスキーを削除してください。")),
        ErrorTextEntry(
            codes: ["PASSKEY_ENROLLMENT_NOT_FOUND"],
            numbers: [17212],
            action: .otherMethod,
            english: ("This passkey no longer works", "Sign in another way, then add a new passkey."),
            japanese: ("このパスキーは使えなくなりました", "別の方法でサインインしてから、新しいパスキーを追加してください。")),
        ErrorTextEntry(
            codes: ["PASSKEY_CHALLENGE_TIMEOUT", "INVALID_AUTHENTICATOR_RESPONSE"],
            numbers: [17215],
            action: .retry,
            english: ("The passkey was not accepted", "Try again, or sign in another way."),
            japanese: ("パスキーを確認できませんでした", "もう一度お試しになるか、別の方法でサインインしてください。")),
        ErrorTextEntry(
            codes: ["MERGE_SAME_ACCOUNT"],
            action: .otherMethod,
            english: ("The same account", "Both are the same account, so there is nothing to merge."),
            japanese: ("同じアカウントです", "どちらも同じアカウントのため、統合の必要はありません。")),
        ErrorTextEntry(
            codes: ["MERGE_PREVIEW_OUTDATED"],
            action: .retry,
            english: ("The accounts have changed", "Look at the changes again, then confirm."),
            japanese: ("アカウントが変更されました", "変更内容をもう一度確認してから、確定してください。")),
        ErrorTextEntry(
            codes: ["RECOVERY_PENDING"],
            action: .wait,
            english: (
                "Not possible yet",
                "The email address of this account was changed recently. Try again in a few days."
            ),
            japanese: ("まだ行えません", "このアカウントのメールアドレスは最近変更されました。数日後にもう一度お試しください。")),
        ErrorTextEntry(
            codes: ["MERGE_ALREADY_DONE", "MERGE_NOT_FOUND", "MERGE_NOT_UNDOABLE"],
            action: .contactSupport,
            english: ("This cannot be undone here", "Contact support."),
            japanese: ("ここでは元に戻せません", "サポートにお問い合わせください。")),
        ErrorTextEntry(
            codes: ["INVALID_PROFILE_ATTRIBUTE"],
            action: .checkInput,
            english: ("Check your entry", "Part of your entry is not valid or too long."),
            japanese: ("入力内容を確認してください", "入力内容に無効な部分があるか、長すぎます。")),
        ErrorTextEntry(
            codes: [
                "API_KEY_ANDROID_APP_BLOCKED", "API_KEY_HTTP_REFERRER_BLOCKED", "API_KEY_INVALID",
                "API_KEY_IOS_APP_BLOCKED", "CAPTCHA_CHECK_FAILED", "CLAIMS_TOO_LARGE", "CONFIGURATION_EXISTS",
                "CONFIGURATION_NOT_FOUND", "DUPLICATE_LOCAL_ID", "DUPLICATE_RAW_ID", "EMPTY_HASH_KEY",
                "EVENTS_EXPIRED",
                "FORBIDDEN_CLAIM", "INSUFFICIENT_PERMISSION", "INVALID_ARGUMENT", "INVALID_BLOCKING_FUNCTION",
                "INVALID_CLAIMS", "INVALID_CONFIG",
                "INVALID_CONTINUE_URI", "INVALID_CREDENTIAL_ID", "INVALID_DURATION", "INVALID_GRANT_TYPE",
                "INVALID_HASH_ALGORITHM",
                "INVALID_HASH_MEMORY_COSTS", "INVALID_HASH_PARAMETER", "INVALID_HASH_ROUNDS",
                "INVALID_HOSTING_LINK_DOMAIN", "INVALID_MESSAGE_PAYLOAD", "INVALID_PAGE_SELECTION",
                "INVALID_PROVIDER_ID", "INVALID_REQUEST_URI", "INVALID_REQ_TYPE", "INVALID_SENDER", "INVALID_TENANT_ID",
                "LOCAL_ID_LIST_EXCEEDS_LIMIT", "METHOD_NOT_ALLOWED", "MISSING_ANDROID_PACKAGE_NAME",
                "MISSING_AUTHENTICATOR_RESPONSE",
                "MISSING_CLIENT_IDENTIFIER", "MISSING_CONTINUE_URI", "MISSING_CUSTOM_TOKEN", "MISSING_GRANT_TYPE",
                "MISSING_IOS_BUNDLE_ID", "MISSING_LOCAL_ID", "MISSING_MERGE_TOKEN", "MISSING_PROVIDER_ID",
                "MISSING_RAW_ID", "MISSING_REQUEST_URI", "MISSING_REQ_TYPE", "MISSING_SESSION_ID",
                "MISSING_USER_ACCOUNT", "NOT_FOUND", "PASSKEY_NOT_ENABLED", "PERMISSION_DENIED", "PROJECT_DISABLED",
                "PROVIDER_ISSUER_IN_USE", "REQUEST_TOO_LARGE", "RP_ID_IN_USE", "TENANT_ID_MISMATCH", "TENANT_NOT_FOUND",
                "UNAUTHENTICATED", "UNAUTHORIZED_DOMAIN",
                "UNEXPECTED_PARAMETER", "UNSUPPORTED_MEDIA_TYPE", "UNSUPPORTED_TENANT_OPERATION", "URI_TOO_LONG",
            ],
            numbers: [
                17023, 17028, 17031, 17032, 17036, 17037, 17038, 17039, 17040, 17047, 17048, 17053, 17054, 17055, 17056,
                17059, 17060, 17068, 17071, 17072, 17073, 17074, 17076, 17093, 17200, 17201, 17202, 17203, 17204, 17205,
                17206, 17207, 17208, 17209, 17210, 17214,
            ],
            action: .contactSupport,
            english: ("The app is not set up correctly", "This is not your fault. Contact the support of the app."),
            japanese: ("アプリの設定に問題があります", "お客様の操作が原因ではありません。アプリのサポートにお問い合わせください。")),
    ]
}
