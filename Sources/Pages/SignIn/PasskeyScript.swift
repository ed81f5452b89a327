extension PageScript {
    /// Performs the ceremony of each element with `data-passkey` when its button is pressed, and submits the button's
    /// form with the response of the authenticator in the field `credential`. While no ceremony runs, the browser
    /// offers passkeys where the user types the address (conditional mediation). The element is hidden unless the
    /// browser supports passkeys, and the advice about that is shown instead. Other forms tell the gateway that the
    /// browser can create passkeys.
    ///
    /// The script also tells the browser which passkeys it may stop offering (WebAuthn Level 3 §5.1.10). The element
    /// has `data-unknown` if no account has the presented passkey. A notice has `data-accepted` if the user has removed
    /// one.
    package static let passkeys = PageScript(
        text: """
            (()=>{
            "use strict";
            const P=window.PublicKeyCredential;
            if(!P||!P.parseRequestOptionsFromJSON||!P.parseCreationOptionsFromJSON)return;
            for(const field of document.getElementsByName("passkeys"))field.value="on";
            for(const notice of document.querySelectorAll("[data-accepted]"))
            P.signalAllAcceptedCredentials?.(JSON.parse(notice.dataset.accepted)).catch(()=>{});
            const none=document.getElementById("noPasskeys");
            if(none)none.hidden=true;
            for(const host of document.querySelectorAll("[data-passkey]")){
            const options=JSON.parse(host.dataset.passkey),creates=!!options.user,unknown=host.dataset.unknown;
            const status=host.querySelector("[role=status]"),button=host.querySelector("button"),form=button.form;
            let control,busy;
            const run=async mediation=>{
            control?.abort();
            const own=control=new AbortController();
            busy=!mediation;
            try{
            const publicKey=P[creates?"parseCreationOptionsFromJSON":"parseRequestOptionsFromJSON"](options);
            const credential=await navigator.credentials[creates?"create":"get"](
            {publicKey,signal:own.signal,...mediation&&{mediation}});
            for(const id of ["stay","remember"])document.getElementById(id)?.setAttribute("form",form.id);
            const field=form.elements.credential||form.appendChild(document.createElement("input"));
            field.type="hidden";
            field.name="credential";
            field.value=JSON.stringify(credential);
            busy=true;
            form.requestSubmit(button)
            }catch{
            if(own===control&&!mediation){busy=false;status.hidden=false;wait()}}};
            const wait=async()=>{
            if(!creates&&document.querySelector("[autocomplete~=webauthn]")&&
            await P.isConditionalMediationAvailable?.())run("conditional")};
            host.hidden=false;
            addEventListener("pageshow",event=>{if(event.persisted)busy=false});
            button.addEventListener("click",event=>{event.preventDefault();if(busy)return;status.hidden=true;run()});
            if(unknown)P.signalUnknownCredential?.(JSON.parse(unknown)).catch(()=>{});
            wait()}
            })()
            """,
        sha256: "fAs4kdschIxU9/3dDllRZc5jD2mDTfFU+0Zk9Prf4fs=")
}
