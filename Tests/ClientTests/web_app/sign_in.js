// Signs in with the URLs, messages and requests of Firebase's JavaScript SDK, but without the SDK.
const SDK_VERSION = "12.14.0";
const APP_NAME = "[DEFAULT]";
const REDIRECT_EVENT_TYPES = ["signInViaRedirect", "linkViaRedirect", "reauthViaRedirect", "unknown"];
const pendingRedirectKey = key => `firebase:pendingRedirect:${key}:${APP_NAME}`;

const randomDigits = () => Array.from(crypto.getRandomValues(new Uint8Array(10)), byte => byte % 10).join("");
const queryString = pairs => Object.entries(pairs).filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");

export class SignInError extends Error {
    constructor(code, body) {
        super(code);
        this.code = code;
        this.body = body;
    }
}

export class Client {
    #knownEvents = new Set();
    #waitingCalls = [];
    #frame;

    // `pages` and `api` are URLs without a slash at the end, such as `https://app.example.com/__/auth`.
    constructor({ pages, api, apiKey }) {
        Object.assign(this, { pages, api, apiKey });
    }

    // Signs in. With the operation `link`, links an identity to the user of `session`; with `reauth`, reauthenticates.
    async popup(providerId, { operation = "signIn", session, ...more } = {}) {
        const frame = await this.#openedFrame();
        const [authType, eventId] = [`${operation}ViaPopup`, randomDigits()];
        const features = "location=yes,resizable=yes,statusbar=yes,toolbar=no,width=500,height=600";
        const url = this.#handlerURL({ providerId, authType, eventId, ...more });
        const popup = window.open(url, randomDigits(), features);
        frame.send("webStorageSupport", { type: "webStorageSupport" }, ([answer]) => {
            this.webStorage = answer.webStorageSupport;
        }, gapi.iframes.CROSS_ORIGIN_IFRAMES_FILTER);
        try {
            return await this.#finishSignIn(await this.#nextEvent([authType], eventId), operation, session);
        } finally {
            popup.close();
        }
    }

    redirect(providerId, { operation = "signIn", session, ...more } = {}) {
        const eventId = operation === "signIn" ? undefined : `${session.localId}:::${randomDigits()}`;
        sessionStorage.setItem(pendingRedirectKey(this.apiKey), JSON.stringify({ operation, eventId, session }));
        location.assign(this.#handlerURL({ providerId, authType: `${operation}ViaRedirect`, eventId, ...more }));
    }

    // Returns the result of a redirect; `null` unless a redirect led to this page.
    async redirectResult() {
        const pending = JSON.parse(sessionStorage.getItem(pendingRedirectKey(this.apiKey)));
        sessionStorage.removeItem(pendingRedirectKey(this.apiKey));
        if (!pending) return null;
        const event = await this.firstEvent();
        if (event.type === "unknown") return null;
        if (pending.eventId !== (event.eventId ?? undefined)) {
            throw new SignInError("the event of another redirect", event);
        }
        return this.#finishSignIn(event, pending.operation, pending.session);
    }

    // The first event after a load: the result of a redirect, or an event of type `unknown` if there is none.
    async firstEvent() {
        const event = this.#nextEvent(REDIRECT_EVENT_TYPES, null);
        await this.#openedFrame();
        return event;
    }

    async post(method, body) {
        const response = await fetch(`${this.api}/v1/accounts:${method}?key=${this.apiKey}`, {
            method: "POST", body: JSON.stringify(body),
            headers: {
                "Content-Type": "application/json", "X-Client-Version": `Chrome/JsCore/${SDK_VERSION}/FirebaseCore-web`,
            },
        });
        const answer = await response.json();
        const problem = response.ok ? answer.errorMessage : answer.error.message;
        if (problem || answer.needConfirmation) throw new SignInError(problem ?? "needConfirmation", answer);
        return answer;
    }

    #handlerURL({ providerId, authType, eventId, scopes, customParameters }) {
        const query = queryString({
            apiKey: this.apiKey, appName: APP_NAME, authType, redirectUrl: location.href, v: SDK_VERSION, eventId,
            providerId, customParameters: customParameters && JSON.stringify(customParameters),
            scopes: scopes?.join(","),
        });
        return `${this.pages}/handler?${query}`;
    }

    // Waits for an event as the SDK does: a redirect takes any event of these types, a popup only the one with its ID.
    #nextEvent(types, eventId) {
        return new Promise(resolve => this.#waitingCalls.push({ types, eventId, resolve }));
    }

    #receive(event) {
        const name = [event.type, event.eventId, event.sessionId, event.tenantId].join("-");
        const isNew = !this.#knownEvents.has(name);
        this.#knownEvents.add(name);
        const index = this.#waitingCalls.findIndex(({ types, eventId }) => types.includes(event.type)
            && (eventId === null || Boolean(event.eventId) && event.eventId === eventId));
        if (!isNew || index < 0) return { status: "ERROR" };
        this.#waitingCalls.splice(index, 1)[0].resolve(event);
        return { status: "ACK" };
    }

    async #finishSignIn(event, operation, session) {
        if (event.error) throw new SignInError(event.error.code, event.error);
        const result = await this.post("signInWithIdp", {
            requestUri: event.urlResponse, sessionId: event.sessionId, returnSecureToken: true,
            returnIdpCredential: true, ...(event.postBody && { postBody: event.postBody }),
            ...(event.tenantId && { tenantId: event.tenantId }),
            ...(operation === "link" && { idToken: session.idToken }),
        });
        const { users: [user] } = await this.post("lookup", { idToken: result.idToken });
        return { ...result, user, event };
    }

    #openedFrame() {
        this.#frame ??= this.#openFrame().catch(error => {
            this.#frame = undefined;
            throw error;
        });
        return this.#frame;
    }

    async #openFrame() {
        if (!window.gapi?.iframes?.Iframe) await this.#loadGapi();
        await new Promise((callback, onerror) => gapi.load("gapi.iframes", { callback, onerror }));
        const query = queryString({ apiKey: this.apiKey, appName: APP_NAME, v: SDK_VERSION, eid: "p" });
        const url = `${this.pages}/iframe?${query}`;
        const frame = await gapi.iframes.getContext().open({
            where: document.body, url, messageHandlersFilter: gapi.iframes.CROSS_ORIGIN_IFRAMES_FILTER,
            attributes: { style: { position: "absolute", top: "-100px", width: "1px", height: "1px" } }, dontclear: true,
        }, async channel => {
            await channel.restyle({ setHideOnLeave: false });
            // The SDK waits only five seconds, which can be too short on a busy machine.
            const timeout = new Promise((_, reject) => {
                setTimeout(() => reject(new SignInError("auth/network-request-failed")), 10_000);
            });
            await Promise.race([channel.ping(() => {}), timeout]);
            return channel;
        });
        frame.register("authEvent", ({ authEvent }) => this.#receive(authEvent), gapi.iframes.CROSS_ORIGIN_IFRAMES_FILTER);
        return frame;
    }

    #loadGapi() {
        return new Promise((loaded, failed) => {
            const name = `__iframefcb${randomDigits()}`;
            window[name] = loaded;
            const script = Object.assign(document.createElement("script"), {
                src: `https://apis.google.com/js/api.js?onload=${name}`, async: true,
                onerror: () => failed(new SignInError("auth/network-request-failed")),
            });
            document.head.append(script);
        });
    }
}
