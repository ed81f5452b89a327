internal import Crypto
internal import Encoding
package import HTTP

/// The stylesheet of the console's pages: light and dark colours, for windows of at least 320 pixels.
package enum ConsoleStylesheet {
    /// The path contains a hash of the text, because browsers keep the stylesheet for a year.
    package static let path = "/console-\(Hexadecimal.encode(Digest.sha256(Array("\(text)".utf8))).prefix(12)).css"

    package static var response: Response {
        Response(
            status: 200,
            headers: [
                "Content-Type": "text/css; charset=utf-8", "Cache-Control": "public, max-age=31536000, immutable",
                "Cross-Origin-Resource-Policy": "same-origin",
            ], body: Array("\(text)".utf8))
    }

    /// Text has a contrast of at least 7:1, borders of inputs of at least 3:1.
    static let text: StaticString = """
        :root{color-scheme:light dark;--back:#f3f4f6;--card:#fff;--text:#1b1d21;--soft:#4a4f57;--line:#767b84;\
        --rule:#d5d8dd;--strong:#1d4ea8;--on-strong:#fff;--wrong:#9b1c1c;--on-wrong:#fff;--good:#155c2f;--note:#fff4d6;\
        --code:#eef0f3}
        @media (prefers-color-scheme:dark){:root{--back:#121316;--card:#1d1f24;--text:#f0f1f3;--soft:#c3c7ce;\
        --line:#8b919b;--rule:#3a3e46;--strong:#a9c7ff;--on-strong:#0d1b33;--wrong:#ffb4ab;--on-wrong:#410002;\
        --good:#8fdca8;--note:#3a2f10;--code:#282b32}}
        *{box-sizing:border-box}[hidden]{display:none!important}
        body{margin:0;background:var(--back);color:var(--text);overflow-wrap:anywhere;\
        font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
        .skip{position:absolute;inset-inline-start:-100vw}.skip:focus{position:static}
        header{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;padding:.5rem 1rem;background:var(--card);\
        border-block-end:1px solid var(--rule)}
        nav{display:flex;flex-wrap:wrap;align-items:center;gap:0 .5rem;flex:1 1 auto}
        nav ul{display:flex;flex-wrap:wrap;margin:0;padding:0;list-style:none}
        nav a{display:flex;align-items:center;min-height:2.75rem;padding:0 .625rem;color:var(--text);\
        text-decoration:none}
        nav a:hover{text-decoration:underline}
        nav a[aria-current]{font-weight:700;box-shadow:inset 0 -3px var(--strong)}
        .product{font-weight:700}
        .switch{position:relative}
        @media (min-width:40.001rem){header{font-size:.9375rem}nav{flex-grow:0}nav a{padding:0 .5rem}\
        .switch{flex:1 1 7rem;min-width:0;max-width:max-content}nav+.switch{margin-inline-start:auto}\
        .switch summary{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}}
        .switch>div{position:absolute;inset-inline-end:0;z-index:1;min-width:15rem;max-width:calc(100vw - 2rem);\
        max-height:70vh;overflow:auto;padding:1rem;background:var(--card);border:1px solid var(--line);\
        border-radius:.5rem}
        @media (max-width:40rem){.switch>div{position:static;margin-block-end:.5rem}}
        .switch ul{margin:0 0 1rem;padding:0;list-style:none}
        .switch li a{display:flex;align-items:center;min-height:2.75rem}
        main{max-width:80rem;margin:0 auto;padding:1rem}
        h1{margin:.5rem 0 1rem;font-size:1.5rem;line-height:1.3}
        h2{margin:0 0 .75rem;font-size:1.125rem;line-height:1.3}
        h3{margin:1.25rem 0 .5rem;font-size:1rem}
        p{margin:0 0 .75rem}
        a{color:var(--strong)}
        section{margin:0 0 1rem;padding:1rem;background:var(--card);border-radius:.5rem;min-width:0}
        section section{padding:0;margin:1rem 0 0}
        .columns{display:grid;gap:0 1rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,28rem),1fr));\
        align-items:start}
        .banner{flex:1 1 100%;margin:0;padding:.5rem .75rem;background:var(--note);border:1px solid var(--line)}
        .rows{margin:0;padding:0;list-style:none}
        .rows li{display:flex;flex-wrap:wrap;gap:0 .75rem;align-items:baseline;padding:.375rem 0;\
        border-block-start:1px solid var(--rule)}
        .rows li>:first-child{flex:1 1 12rem;min-width:0}
        .rows a,td a,.links a{display:inline-flex;align-items:center;min-height:2.75rem}
        .soft,.hint,time{color:var(--soft);font-size:.9375rem}
        .tag{white-space:nowrap;padding:.0625rem .5rem;border:1px solid var(--line);border-radius:1rem;font-size:.875rem}
        .bad{color:var(--wrong);font-weight:600}.good{color:var(--good);font-weight:600}
        .scroll{overflow-x:auto}
        table{width:100%;border-collapse:collapse}
        th,td{padding:.375rem .75rem .375rem 0;border-block-start:1px solid var(--rule);text-align:start;\
        vertical-align:baseline}
        th,td time,.tag{overflow-wrap:normal;white-space:nowrap}
        th{color:var(--soft);font-size:.9375rem;font-weight:600}
        @media (max-width:40rem){.wide thead{position:absolute;inset-inline-start:-200vw}\
        .wide tr{display:block;padding:.5rem 0;border-block-start:1px solid var(--rule)}\
        .wide td{display:grid;grid-template-columns:6rem minmax(0,1fr);gap:0 .5rem;align-items:baseline;border:0;\
        padding:0}.wide td>*{justify-self:start}.wide td:not([data-heading]){display:none}\
        .wide td time,.wide .tag{white-space:normal}\
        .wide td::before{content:attr(data-heading);content:attr(data-heading)/"";color:var(--soft);\
        font-size:.9375rem;font-weight:600}}
        dl{display:grid;grid-template-columns:minmax(6rem,auto) 1fr;gap:.25rem 1rem;margin:0 0 1rem}
        dt{color:var(--soft)}dd{margin:0;min-width:0}
        form{margin:0 0 .75rem}
        .field{margin:0 0 .75rem;max-width:36rem}
        label{display:block;color:var(--soft);font-size:.9375rem}
        input,select,textarea{width:100%;min-height:2.75rem;padding:.5rem .75rem;border:1px solid var(--line);\
        border-radius:.5rem;background:var(--card);color:var(--text);font:inherit}
        textarea,pre,code{font-family:ui-monospace,"SF Mono",Menlo,Consolas,monospace;font-size:.875rem}
        [aria-invalid]{border:2px solid var(--wrong)}
        .check{display:grid;grid-template-columns:auto 1fr;gap:0 .75rem;align-items:center;min-height:2.75rem}
        .check input{width:1.5rem;height:1.5rem;min-height:0;margin:0;accent-color:var(--strong)}
        .check label{padding:.5rem 0;color:var(--text);font-size:1rem}
        .check .hint{grid-column:2}
        .hint{margin:.25rem 0 0}
        .buttons{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:flex-start}
        button,.button{display:inline-block;min-height:2.75rem;padding:.5rem 1rem;border:2px solid var(--strong);\
        border-radius:.5rem;background:var(--strong);color:var(--on-strong);font:inherit;font-weight:600;\
        text-decoration:none;cursor:pointer}
        .quiet{background:transparent;color:var(--strong)}
        .danger{border-color:var(--wrong);background:var(--wrong);color:var(--on-wrong)}
        details{min-width:0;max-width:100%}
        summary{display:list-item;min-height:2.75rem;padding:.625rem 0;color:var(--strong);cursor:pointer}
        .curl{flex:1 1 12rem}
        pre{margin:0 0 .75rem;padding:.75rem;max-height:30rem;overflow:auto;background:var(--code);\
        border-radius:.5rem;white-space:pre-wrap}
        iframe{display:block;width:100%;margin-block-end:1rem;height:40rem;border:1px solid var(--line);border-radius:.5rem;background:#fff;\
        color-scheme:light}
        iframe.narrow{width:20rem;max-width:100%}
        iframe.dark{color-scheme:dark;background:#121316}
        .preview{width:fit-content;max-width:100%;padding:.75rem;border:1px solid var(--line);border-radius:.5rem;background:#fff}
        .preview.dark{background:#1d1f24}.preview img{display:block;max-width:100%;max-height:4rem}
        .chart{margin:0 0 1rem;max-width:34rem}
        .chart svg{display:block;width:100%;height:auto;overflow:visible}
        .chart path,.chart rect{fill:var(--text)}.chart line{stroke:var(--line)}
        .chart text{fill:var(--text);font-size:13px}
        @media (min-width:40rem){.chart text{font-size:9px}}
        @media (forced-colors:active){.chart path,.chart rect,.chart text{fill:CanvasText}.chart line{stroke:CanvasText}}
        .tabs{display:flex;flex-wrap:wrap;gap:.25rem;margin:0 0 1rem;padding:0;list-style:none}
        .tabs a{display:flex;align-items:center;min-height:2.75rem;padding:0 .75rem;border:1px solid var(--line);\
        border-radius:.5rem}
        .tabs a[aria-current]{background:var(--strong);color:var(--on-strong)}
        .search{display:flex;flex-wrap:wrap;gap:.5rem;align-items:flex-end}
        .search .field{flex:1 1 12rem;margin:0}
        .done{padding:.5rem .75rem;border:2px solid var(--good);border-radius:.5rem;background:var(--card)}
        .problem{margin:0 0 1rem;padding:.75rem;border:2px solid var(--wrong);border-radius:.5rem;\
        background:var(--card)}
        .problem h2{color:var(--wrong)}.problem p{margin:0}
        :focus-visible{outline:3px solid var(--strong);outline-offset:2px}
        @media (prefers-reduced-motion:reduce){*{scroll-behavior:auto;transition:none}}

        """
}
