// The life cycle of an account, through the generated Go client.
//
// The clients in Python, TypeScript, Swift, Java and Go run the same scenario. The program prints the name of each step
// that succeeded; after a step that ends with an error, also the error code.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"

	sekisho "scenario/client"
)

var (
	url      = os.Getenv("SEKISHO_URL")
	project  = os.Getenv("SEKISHO_PROJECT")
	password = "correct horse battery"
	email    = fmt.Sprintf("%d@example.com", time.Now().UnixNano())
	ctx      = context.Background()
)

func done(words ...any) { fmt.Println(words...) }

func check(condition bool) {
	if !condition {
		log.Panic("unexpected response")
	}
}

// must returns the decoded response of a request that succeeded.
func must[T any](value T, _ *http.Response, err error) T {
	if err != nil {
		log.Panic(err)
	}
	return value
}

// errorCode returns the code of the error with which a request failed.
func errorCode(err error) string {
	var failure *sekisho.GenericOpenAPIError
	if !errors.As(err, &failure) {
		log.Panic("no error of the gateway: ", err)
	}
	return failure.Model().(sekisho.ErrorEnvelope).Error.ErrorCode
}

// client returns a client that sends a header with every request.
func client(header, value string) *sekisho.APIClient {
	configuration := sekisho.NewConfiguration()
	configuration.Servers = sekisho.ServerConfigurations{{URL: url}}
	configuration.AddDefaultHeader(header, value)
	return sekisho.NewAPIClient(configuration)
}

// simulatedAppleSignIn returns what Sign in with Apple gives to an app: an ID token.
func simulatedAppleSignIn(nonceSha256 string) string {
	body, _ := json.Marshal(map[string]any{
		"providerId": "apple.com", "person": map[string]string{"email": email}, "nonce": nonceSha256,
	})
	path := "/emulator/v1/projects/" + project + "/simulatedSignIns"
	response, err := http.Post(url+path, "application/json", bytes.NewReader(body))
	if err != nil {
		log.Panic(err)
	}
	defer response.Body.Close()
	var output struct{ IdToken string }
	if err := json.NewDecoder(response.Body).Decode(&output); err != nil {
		log.Panic(err)
	}
	return output.IdToken
}

func signUp(app *sekisho.APIClient, input sekisho.SignUpInput) *sekisho.SignUpOutput {
	return must(app.SignInAPI.SignUp(ctx).SignUpInput(input).Execute())
}

func signIn(app *sekisho.APIClient, password string) (*sekisho.SignInWithPasswordOutput, *http.Response, error) {
	input := sekisho.SignInWithPasswordInput{Email: email, Password: password}
	return app.SignInAPI.SignInWithPassword(ctx).SignInWithPasswordInput(input).Execute()
}

func main() {
	// Sends the API key with every request of the app.
	app := client("x-goog-api-key", os.Getenv("SEKISHO_API_KEY"))
	// Sends the service key with every request of the backend.
	backend := client("Authorization", "Bearer "+os.Getenv("SEKISHO_SERVICE_KEY"))

	guest := signUp(app, sekisho.SignUpInput{})
	localId := guest.LocalId
	done("signUpAnonymously")

	otherEmail := "other-" + email
	other := signUp(app, sekisho.SignUpInput{Email: &otherEmail, Password: &password})
	done("signUpWithEmail")

	user := signUp(app, sekisho.SignUpInput{IdToken: &guest.IdToken, Email: &email, Password: &password})
	check(user.LocalId == localId)
	done("upgradeWithPassword")

	issued := must(app.SignInAPI.IssueNonce(ctx).IssueNonceInput(sekisho.IssueNonceInput{}).Execute())
	appleToken := simulatedAppleSignIn(issued.NonceSha256)
	credential := sekisho.IdpCredential{ProviderId: "apple.com", IdToken: &appleToken, RawNonce: &issued.Nonce}
	link := sekisho.SignInWithIdpInput{IdToken: &user.IdToken, Credential: &credential}
	linked := must(app.SignInAPI.SignInWithIdp(ctx).SignInWithIdpInput(link).Execute())
	check(linked.GetLocalId() == localId)
	done("linkApple")

	refreshed := must(app.SessionsAPI.RefreshTokens(ctx).GrantType("refresh_token").
		RefreshToken(linked.GetRefreshToken()).Execute())
	check(refreshed.UserId == localId)
	done("refresh")

	idToken := must(signIn(app, password)).GetIdToken()
	done("reauthenticate")

	_, _, err := signIn(app, "a wrong password")
	done("wrongPassword", errorCode(err))

	lookUp := app.AccountsAPI.LookUpOwnAccount(ctx)
	own := must(lookUp.LookUpOwnAccountInput(sekisho.LookUpOwnAccountInput{IdToken: idToken}).Execute())
	check(own.Users[0].GetEmail() == email)
	done("lookUp")

	name := "Ada"
	changes := sekisho.UpdateOwnAccountInput{IdToken: &idToken, DisplayName: &name}
	updated := must(app.AccountsAPI.UpdateOwnAccount(ctx).UpdateOwnAccountInput(changes).Execute())
	check(updated.GetDisplayName() == name)
	done("update")

	list := app.SessionsAPI.ListSessions(ctx).ListSessionsInput(sekisho.ListSessionsInput{IdToken: idToken})
	listed := must(list.Execute()).Sessions
	var otherSession string
	for _, session := range listed {
		if !session.Current {
			otherSession = session.SessionId
		}
	}
	done("listSessions")

	revocation := sekisho.RevokeSessionInput{IdToken: idToken, SessionId: &otherSession}
	if _, err := app.SessionsAPI.RevokeSession(ctx).RevokeSessionInput(revocation).Execute(); err != nil {
		log.Panic(err)
	}
	check(len(must(list.Execute()).Sessions) == len(listed)-1)
	done("revokeSession")

	ended := must(backend.SessionsAPI.LookUpSession(ctx, project).
		LookUpSessionInput(sekisho.LookUpSessionInput{SessionId: otherSession}).Execute())
	check(!ended.Active && ended.EndReason != nil)
	done("backendLookUpSession")

	isDryRun := true
	source := signUp(app, sekisho.SignUpInput{})
	merge := app.AccountsAPI.MergeOwnAccounts(ctx)
	preview := must(merge.MergeOwnAccountsInput(sekisho.MergeOwnAccountsInput{
		IdToken: source.IdToken, DryRun: &isDryRun, TargetIdToken: &other.IdToken,
	}).Execute())
	check(preview.LocalId == other.LocalId && preview.UndoableUntil == nil)
	done("mergeDryRun")

	merged := must(merge.MergeOwnAccountsInput(sekisho.MergeOwnAccountsInput{
		IdToken: source.IdToken, MergeToken: preview.MergeToken,
	}).Execute())
	check(merged.IdToken != nil && merged.UndoableUntil != nil)
	done("merge")

	check(len(must(app.WellKnownAPI.GetProjectJwks(ctx, project).Execute()).Keys) > 0)
	done("jwks")

	check(len(must(app.SignInAPI.GetLoginMethods(ctx).Execute()).Methods) > 0)
	check(must(app.SignInAPI.GetPasswordPolicy(ctx).Execute()).EnforcementState != "")
	check(must(backend.ConfigurationAPI.GetProjectConfig(ctx, project).Execute()).Name != nil)
	providers := must(backend.ProvidersAPI.ListDefaultSupportedIdpConfigs(ctx, project).Execute())
	check(len(providers.DefaultSupportedIdpConfigs) > 0)
	must(backend.AppsAPI.ListApps(ctx, project).Execute())
	must(backend.TenantsAPI.ListTenants(ctx, project).Execute())
	must(app.WellKnownAPI.GetAssetLinks(ctx).Execute())
	done("readConfiguration")

	returnsLink := true
	code := must(backend.EmailActionsAPI.SendProjectOobCode(ctx, project).
		SendProjectOobCodeInput(sekisho.SendProjectOobCodeInput{
			RequestType: "PASSWORD_RESET", Email: &email, ReturnOobLink: &returnsLink,
		}).Execute())
	checked := must(app.EmailActionsAPI.ResetPassword(ctx).
		ResetPasswordInput(sekisho.ResetPasswordInput{OobCode: code.GetOobCode()}).Execute())
	check(checked.Email == email)
	done("checkCode")

	found := must(backend.AccountsAPI.LookUpAccounts(ctx, project).
		LookUpAccountsInput(sekisho.LookUpAccountsInput{LocalId: []string{localId}}).Execute())
	check(found.Users[0].GetEmail() == email)
	done("backendLookUp")

	check(len(must(backend.AccountsAPI.BatchGetAccounts(ctx, project).MaxResults(10).Execute()).Users) > 0)
	done("backendList")

	identity := must(backend.IdentitiesAPI.LinkIdentity(ctx, project, localId).
		LinkIdentityInput(sekisho.LinkIdentityInput{ProviderId: "google.com", RawId: email}).Execute())
	check(identity.LocalId == localId)
	done("backendLinkIdentity")

	check(len(must(backend.IdentitiesAPI.ListIdentities(ctx, project, localId).Execute()).Identities) == 2)
	done("backendListIdentities")

	if _, err := backend.IdentitiesAPI.UnlinkIdentity(ctx, project, localId, "google.com").Execute(); err != nil {
		log.Panic(err)
	}
	done("backendUnlinkIdentity")

	sourceId := signUp(app, sekisho.SignUpInput{}).LocalId
	join := backend.AccountsAPI.MergeAccounts(ctx, project)
	plan := must(join.MergeAccountsInput(sekisho.MergeAccountsInput{
		SourceLocalId: &sourceId, LocalId: &localId, DryRun: &isDryRun,
	}).Execute())
	check(plan.MergeToken != nil)
	done("backendMergeDryRun")

	joined := must(join.MergeAccountsInput(sekisho.MergeAccountsInput{MergeToken: plan.MergeToken}).Execute())
	check(joined.UndoableUntil != nil)
	done("backendMerge")

	undone := must(backend.AccountsAPI.UndoMerge(ctx, project).
		UndoMergeInput(sekisho.UndoMergeInput{SourceLocalId: sourceId}).Execute())
	check(undone.LocalId == localId)
	done("backendUndoMerge")

	last := must(signIn(app, password)).GetIdToken()
	deletion := sekisho.DeleteOwnAccountInput{IdToken: last}
	must(app.AccountsAPI.DeleteOwnAccount(ctx).DeleteOwnAccountInput(deletion).Execute())
	done("delete")

	_, _, err = lookUp.LookUpOwnAccountInput(sekisho.LookUpOwnAccountInput{IdToken: last}).Execute()
	done("deletedAccount", errorCode(err))
}
