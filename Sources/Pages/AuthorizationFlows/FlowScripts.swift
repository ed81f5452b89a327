internal import HTML

/// A script of a page. The Content-Security-Policy of the page allows it by its hash (CSP 3 §6.7.3.3).
package struct PageScript: Sendable {
    package let text: StaticString
    /// SHA-256 of ``text`` in base64.
    package let sha256: String

    /// Passes the result of a sign-in in the browser to the app. If the app opened a popup, the script sends the result
    /// to the SDK's frames in the window that opened it. Otherwise it stores the result in the tab's session storage,
    /// and returns to the page of the app. After most failures, the script waits for a click; see ``Page/ReturnToApp``.
    static let delivery = PageScript(
        text: """
            (()=>{
            "use strict";
            const d=JSON.parse(document.body.dataset.delivery);
            const show=id=>{const e=document.getElementById(id);if(e)e.hidden=false};
            let heard=false;
            addEventListener("message",e=>{
            if(e.origin===location.origin&&e.data&&e.data.key===d.key&&e.data.received===d.id)heard=true});
            const deliver=()=>{
            if(d.mode==="page"){
            try{sessionStorage.setItem(d.storageKey,JSON.stringify(d.event))}catch{return show("stuck")}
            return location.replace(d.returnTo)}
            const message={key:d.key,id:d.id,event:d.event};
            for(let i=0;window.opener&&i<opener.length;i++)opener[i].postMessage(message,location.origin);
            setTimeout(()=>{if(!heard)show("stuck")},3000)};
            const back=document.getElementById("back");
            if(back)back.addEventListener("click",()=>{deliver();setTimeout(close,1000)});
            if(!d.waits)deliver()
            })()
            """,
        sha256: "u9VSUxqfwOzCP2EICB32fJY4kgiRN6HPn2R/iPSXrho=")

    /// Runs in the frame of Firebase's SDK. It accepts events (results of sign-ins) only from pages of its own origin,
    /// and passes them to the page that embeds it. It takes the API key from the page and never from the URL, which the
    /// browser and the gateway could read differently.
    static let sdkFrame = PageScript(
        text: """
            (()=>{
            "use strict";
            const key=document.body.dataset.frame,stored="sekisho:redirectEvent:"+key,early=[];
            let page=null;
            const deliver=event=>{
            if(!page)return early.push(event);
            page.send("authEvent",{type:"authEvent",authEvent:event},()=>{},gapi.iframes.CROSS_ORIGIN_IFRAMES_FILTER)};
            const take=()=>{try{
            const text=sessionStorage.getItem(stored);sessionStorage.removeItem(stored);return text&&JSON.parse(text)
            }catch{return null}};
            addEventListener("message",e=>{
            if(e.origin!==location.origin||!e.source||!e.data||e.data.key!==key||!e.data.event)return;
            deliver(e.data.event);
            e.source.postMessage({key,received:e.data.id},location.origin)});
            window.gapi_onload=()=>gapi.load("gapi.iframes",{callback:()=>{
            page=gapi.iframes.getContext().getParentIframe();
            page.register("webStorageSupport",()=>({status:"ACK",webStorageSupport:true}),\
            gapi.iframes.CROSS_ORIGIN_IFRAMES_FILTER);
            deliver(take()||{type:"unknown",eventId:null,urlResponse:null,sessionId:null,postBody:null,tenantId:null,\
            error:{code:"auth/no-auth-event",message:"There is no event."}});
            for(const event of early.splice(0))deliver(event)}})
            })()
            """,
        sha256: "adz8xaJQf537bAsz4GQAf3zi+g54nrvWVTiDqOTDxKk=")

    var markup: Markup { .script(text) }
}
