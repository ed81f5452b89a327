extension PageScript {
    /// Performs the ceremony of each form with `data-passkey`, writes the response of the authenticator into the hidden
    /// field `credential`, and submits the form. While no ceremony runs, the browser offers passkeys where the user
    /// types the address (conditional mediation). A form is hidden unless the browser supports passkeys, and the advice
    /// about that is shown instead. Other forms tell the gateway that the browser can create passkeys.
    ///
    /// The script also tells the browser which passkeys it may stop offering (WebAuthn Level 3 §5.1.10). A form has
    /// `data-unknown` if no account has the presented passkey. A notice has `data-accepted` if the user has removed
    /// one.
    package static let passkeys = PageScript(
        text: """
            (()=>{
            "use strict";
            const P=window.PublicKeyCredential;
            if(!P||!P.parseRequestOptionsFromJSON||!P.parseCreationOptionsFromJSON)return;
            for(const field of document.getElementsByName("passkeys"))field.value="on";
            for(const notice of document.querySelectorAll("[data-accepted]"))
            if(P.signalAllAcceptedCredentials)
            P.signalAllAcceptedCredentials(JSON.parse(notice.dataset.accepted)).catch(()=>{});
            const none=document.getElementById("noPasskeys");
            if(none)none.hidden=true;
            for(const form of document.querySelectorAll("form[data-passkey]")){
            const options=JSON.parse(form.dataset.passkey),creates=!!options.user;
            const status=form.querySelector("[role=status]"),unknown=form.dataset.unknown;
            let control,busy;
            const run=async mediation=>{
            if(control)control.abort();
            const own=control=new AbortController();
            busy=!mediation;
            try{
            const publicKey=creates?P.parseCreationOptionsFromJSON(options):P.parseRequestOptionsFromJSON(options);
            const request={publicKey,signal:own.signal,...mediation&&{mediation}};
            const credential=await(creates?navigator.credentials.create(request):navigator.credentials.get(request));
            for(const id of ["stay","remember"]){const box=document.getElementById(id);if(box)form.append(box)}
            form.elements.credential.value=JSON.stringify(credential);
            busy=true;
            form.submit()
            }catch{
            if(own===control&&!mediation){busy=false;status.hidden=false;wait()}}};
            const wait=async()=>{
            if(!creates&&document.querySelector("[autocomplete~=webauthn]")&&P.isConditionalMediationAvailable&&
            await P.isConditionalMediationAvailable())run("conditional")};
            form.hidden=false;
            addEventListener("pageshow",event=>{if(event.persisted)busy=false});
            form.addEventListener("submit",event=>{event.preventDefault();if(busy)return;status.hidden=true;run()});
            if(unknown&&P.signalUnknownCredential)P.signalUnknownCredential(JSON.parse(unknown)).catch(()=>{});
            wait()}
            })()
            """,
        sha256: "opZICGTRmUip5MciVL5pHbdmmkmr4tc21oVkYVG1DHQ=")
}
