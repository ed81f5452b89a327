import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.UUID;
import sekisho.client.*;
import sekisho.client.api.*;
import sekisho.client.model.*;

/**
 * The life cycle of an account, through the generated Java client.
 *
 * <p>The clients in Python, TypeScript, Swift, Java and Go run the same scenario. The program prints the name of each
 * step that succeeded; after a step that ends with an error, also the error code.
 */
public class Scenario {
    interface Request {
        void send() throws ApiException;
    }

    static final String url = System.getenv("SEKISHO_URL");
    static final String project = System.getenv("SEKISHO_PROJECT");
    static final String password = "correct horse battery";
    static final String email = UUID.randomUUID() + "@example.com";
    static final ObjectMapper mapper = new ApiClient().getObjectMapper();

    static void done(String... words) {
        System.out.println(String.join(" ", words));
    }

    static void check(boolean condition) {
        if (!condition) throw new IllegalStateException("unexpected response");
    }

    /** Returns the code of the error with which the request fails. */
    static String errorCode(Request request) throws Exception {
        try {
            request.send();
        } catch (ApiException error) {
            ErrorEnvelope envelope = mapper.readValue(error.getResponseBody(), ErrorEnvelope.class);
            return envelope.getError().getErrorCode();
        }
        throw new IllegalStateException("no error");
    }

    /** Returns what Sign in with Apple gives to an app: an ID token. */
    static String simulatedAppleSignIn(String nonceSha256) throws Exception {
        String body = "{\"providerId\":\"apple.com\",\"person\":{\"email\":\"" + email + "\"},\"nonce\":\""
                + nonceSha256 + "\"}";
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create(url + "/emulator/v1/projects/" + project + "/simulatedSignIns"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        String text = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body();
        return mapper.readTree(text).get("idToken").asText();
    }

    public static void main(String[] arguments) throws Exception {
        String apiKey = System.getenv("SEKISHO_API_KEY");
        String serviceKey = System.getenv("SEKISHO_SERVICE_KEY");
        // Sends the API key with every request of the app.
        ApiClient app = new ApiClient().setBasePath(url).addDefaultHeader("x-goog-api-key", apiKey);
        // Sends the service key with every request of the backend.
        ApiClient backend = new ApiClient().setBasePath(url).setBearerToken(serviceKey);

        SignInApi signIn = new SignInApi(app);
        AccountsApi accounts = new AccountsApi(app);
        SessionsApi sessions = new SessionsApi(app);
        WellKnownApi wellKnown = new WellKnownApi(app);
        AccountsApi administration = new AccountsApi(backend);
        IdentitiesApi identities = new IdentitiesApi(backend);

        SignUpOutput guest = signIn.signUp(new SignUpInput());
        String localId = guest.getLocalId();
        done("signUpAnonymously");

        SignUpOutput other = signIn.signUp(new SignUpInput().email("other-" + email).password(password));
        done("signUpWithEmail");

        SignUpOutput user =
                signIn.signUp(new SignUpInput().idToken(guest.getIdToken()).email(email).password(password));
        check(user.getLocalId().equals(localId));
        done("upgradeWithPassword");

        IssueNonceOutput issued = signIn.issueNonce(new IssueNonceInput());
        IdpCredential credential = new IdpCredential()
                .providerId("apple.com")
                .idToken(simulatedAppleSignIn(issued.getNonceSha256()))
                .rawNonce(issued.getNonce());
        SignInWithIdpOutput linked =
                signIn.signInWithIdp(new SignInWithIdpInput().idToken(user.getIdToken()).credential(credential));
        check(localId.equals(linked.getLocalId()));
        done("linkApple");

        RefreshTokensOutput refreshed = sessions.refreshTokens(
            "refresh_token", linked.getRefreshToken(), null, null, null, null);
        check(refreshed.getUserId().equals(localId));
        done("refresh");

        SignInWithPasswordInput login = new SignInWithPasswordInput().email(email).password(password);
        String idToken = signIn.signInWithPassword(login).getIdToken();
        done("reauthenticate");

        SignInWithPasswordInput wrong = new SignInWithPasswordInput().email(email).password("a wrong password");
        done("wrongPassword", errorCode(() -> signIn.signInWithPassword(wrong)));

        LookUpOwnAccountOutput own = accounts.lookUpOwnAccount(new LookUpOwnAccountInput().idToken(idToken));
        check(email.equals(own.getUsers().get(0).getEmail()));
        done("lookUp");

        UpdateOwnAccountInput changes = new UpdateOwnAccountInput().idToken(idToken).displayName("Ada");
        check("Ada".equals(accounts.updateOwnAccount(changes).getDisplayName()));
        done("update");

        ListSessionsInput list = new ListSessionsInput().idToken(idToken);
        List<Session> listed = sessions.listSessions(list).getSessions();
        String otherSession =
                listed.stream().filter(session -> !session.getCurrent()).findFirst().get().getSessionId();
        done("listSessions");

        sessions.revokeSession(new RevokeSessionInput().idToken(idToken).sessionId(otherSession));
        check(sessions.listSessions(list).getSessions().size() == listed.size() - 1);
        done("revokeSession");

        LookUpSessionOutput ended = new SessionsApi(backend)
                .lookUpSession(project, new LookUpSessionInput().sessionId(otherSession));
        check(!ended.getActive() && ended.getEndReason() != null);
        done("backendLookUpSession");

        SignUpOutput source = signIn.signUp(new SignUpInput());
        MergeOwnAccountsOutput preview = accounts.mergeOwnAccounts(new MergeOwnAccountsInput()
                .idToken(source.getIdToken())
                .dryRun(true)
                .targetIdToken(other.getIdToken()));
        check(preview.getLocalId().equals(other.getLocalId()) && preview.getUndoableUntil() == null);
        done("mergeDryRun");

        MergeOwnAccountsOutput merged = accounts.mergeOwnAccounts(
                new MergeOwnAccountsInput().idToken(source.getIdToken()).mergeToken(preview.getMergeToken()));
        check(merged.getIdToken() != null && merged.getUndoableUntil() != null);
        done("merge");

        check(!wellKnown.getProjectJwks(project).getKeys().isEmpty());
        done("jwks");

        check(!signIn.getLoginMethods(null, null).getMethods().isEmpty());
        check(signIn.getPasswordPolicy(null).getEnforcementState() != null);
        check(new ConfigurationApi(backend).getProjectConfig(project).getName() != null);
        check(!new ProvidersApi(backend)
                .listDefaultSupportedIdpConfigs(project, null, null)
                .getDefaultSupportedIdpConfigs()
                .isEmpty());
        new AppsApi(backend).listApps(project, null, null);
        new TenantsApi(backend).listTenants(project, null, null);
        wellKnown.getAssetLinks();
        done("readConfiguration");

        String code = new EmailActionsApi(backend)
                .sendProjectOobCode(
                        project,
                        new SendProjectOobCodeInput()
                                .requestType("PASSWORD_RESET")
                                .email(email)
                                .returnOobLink(true))
                .getOobCode();
        check(email.equals(
                new EmailActionsApi(app).resetPassword(new ResetPasswordInput().oobCode(code)).getEmail()));
        done("checkCode");

        LookUpAccountsOutput found =
                administration.lookUpAccounts(project, new LookUpAccountsInput().addLocalIdItem(localId));
        check(email.equals(found.getUsers().get(0).getEmail()));
        done("backendLookUp");

        check(!administration.batchGetAccounts(project, 10, null, null).getUsers().isEmpty());
        done("backendList");

        Identity identity = identities.linkIdentity(
                project, localId, new LinkIdentityInput().providerId("google.com").rawId(email));
        check(identity.getLocalId().equals(localId));
        done("backendLinkIdentity");

        check(identities.listIdentities(project, localId, null).getIdentities().size() == 2);
        done("backendListIdentities");

        identities.unlinkIdentity(project, localId, "google.com", null);
        done("backendUnlinkIdentity");

        String sourceId = signIn.signUp(new SignUpInput()).getLocalId();
        MergeAccountsOutput plan = administration.mergeAccounts(
                project, new MergeAccountsInput().sourceLocalId(sourceId).localId(localId).dryRun(true));
        check(plan.getMergeToken() != null);
        done("backendMergeDryRun");

        MergeAccountsOutput joined =
                administration.mergeAccounts(project, new MergeAccountsInput().mergeToken(plan.getMergeToken()));
        check(joined.getUndoableUntil() != null);
        done("backendMerge");

        UndoMergeOutput undone = administration.undoMerge(project, new UndoMergeInput().sourceLocalId(sourceId));
        check(undone.getLocalId().equals(localId));
        done("backendUndoMerge");

        String last = signIn.signInWithPassword(login).getIdToken();
        accounts.deleteOwnAccount(new DeleteOwnAccountInput().idToken(last));
        done("delete");

        done(
                "deletedAccount",
                errorCode(() -> accounts.lookUpOwnAccount(new LookUpOwnAccountInput().idToken(last))));
    }
}
