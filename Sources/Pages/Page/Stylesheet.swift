/// The styles of a ``Page``: one column for windows of at least 320 pixels, with light and dark colours.
enum Stylesheet {
    enum Class: String {
        case project, details, skip, note, problem, quiet, button, choice, done
        case providers, provider, apple, google, divider, links, plain, help
    }

    /// The CSS text. It contains no `<`, `>` or `&`, because it is not escaped. Text has a contrast of at least 7:1,
    /// borders of at least 3:1.
    static let text: StaticString = """
        :root{color-scheme:light dark;--back:#f3f4f6;--card:#fff;--text:#1b1d21;--soft:#4a4f57;--line:#767b84;\
        --strong:#1d4ea8;--on-strong:#fff;--wrong:#9b1c1c}\
        @media (prefers-color-scheme:dark){:root{--back:#121316;--card:#1d1f24;--text:#f0f1f3;--soft:#c3c7ce;\
        --line:#8b919b;--strong:#a9c7ff;--on-strong:#0d1b33;--wrong:#ffb4ab}}\
        :root{--fill:var(--strong);--on-fill:var(--on-strong)}\
        *{box-sizing:border-box}\
        body{margin:0;padding:1rem;background:var(--back);color:var(--text);overflow-wrap:anywhere;\
        font:1rem/1.6 system-ui,"Segoe UI",Roboto,sans-serif}\
        main{max-width:28rem;margin:4vh auto;padding:1.5rem;background:var(--card);border-radius:.75rem}\
        h1{margin:0 0 1rem;font-size:clamp(1.25rem,6.5vw,1.5rem);line-height:1.3;text-wrap:balance}\
        h2{margin:2rem 0 .5rem;font-size:1.125rem;line-height:1.3}\
        p{margin:0 0 1rem}ul{margin:0 0 1rem;padding-inline-start:1.25rem}\
        .project{margin:0 0 .25rem;color:var(--soft)}\
        .project img{display:block;width:auto;max-width:100%;height:auto;max-height:2.5rem;margin-bottom:.75rem}\
        .details{margin:0 0 1.25rem}dt,label{display:block}\
        dd{margin:0 0 .5rem}\
        label{margin-top:1rem}\
        input,select{width:100%;min-height:2.75rem;margin:.25rem 0;padding:.5rem .75rem;border:1px solid var(--line);\
        background:var(--card);color:var(--text);font:inherit}\
        input[aria-invalid]{border:2px solid var(--wrong)}\
        .choice{display:grid;grid-template-columns:auto 1fr;column-gap:.75rem;align-items:center;padding:.5rem 0;\
        border-top:1px solid var(--line)}\
        .choice input{width:1.5rem;height:1.5rem;min-height:0;margin:0;accent-color:var(--strong)}\
        .choice label{margin:0;padding:.5rem 0;color:var(--text);font-size:1rem}\
        input+.choice,div:not(.choice)+.choice{margin-top:.5rem;border:0}\
        .problem a{display:inline-block;min-height:2.75rem;padding:.5rem 0;color:inherit}\
        .skip{position:absolute;inset-inline-start:-999rem;min-height:2.75rem;padding:.625rem 1rem;color:var(--text)}\
        .skip:focus{position:static;display:inline-block}\
        .note{margin:0}\
        form+.note,a+.note{margin-top:1rem}.button+.details{margin-top:1.25rem}\
        .problem p,.problem ul{margin:0}\
        .done,.problem{margin:0 0 1rem;padding:.5rem .75rem;border:2px solid var(--strong)}\
        .problem{border-color:var(--wrong);color:var(--wrong)}\
        button,.button{display:block;width:100%;min-height:2.75rem;margin:1.25rem 0 0;padding:.625rem 1rem;\
        border:2px solid var(--strong);background:var(--fill);color:var(--on-fill);\
        font:inherit;line-height:1.4;text-align:center;text-decoration:none;cursor:pointer}\
        .quiet{background:transparent;color:var(--strong)}\
        footer{max-width:28rem;margin:0 auto;padding:0 1.5rem}\
        footer ul{display:flex;flex-wrap:wrap;gap:0 1.5rem;margin:1rem 0 0;padding:0;list-style:none}\
        footer a{display:inline-block;min-width:2.75rem;padding:.625rem 0;color:inherit}\
        footer p{margin:.5rem 0 0}\
        code{direction:ltr;unicode-bidi:isolate}\
        details{margin-top:1.25rem}summary{min-height:2.75rem;padding:.5rem 0}\
        .divider{margin:1.25rem 0 0;color:var(--soft);text-align:center}\
        .help{margin-top:1.25rem}\
        footer.links{display:flex;flex-wrap:wrap;gap:0 1.5rem;max-width:none;padding:0}.plain{color:inherit}\
        button.plain{width:auto;min-width:2.75rem;margin:0;padding:.625rem 0;border:0;background:none;font-weight:400;text-align:start;\
        text-decoration:underline}\
        dt,label,.note,footer{color:var(--soft);font-size:.9375rem}\
        input,select,.done,.problem,button,.button{border-radius:.5rem}\
        .project,dd,.choice label,.problem,button,.button{font-weight:600}\
        :focus-visible{outline:3px solid var(--strong);outline-offset:3px}\
        @media (min-width:40rem){main{margin:10vh auto;padding:2.5rem}footer{padding:0 2.5rem}}
        """

    /// SHA-256 of ``text`` in base64. The page's policy allows no other style (CSP 3 §6.7.3.3).
    static let sha256 = "0UxAcnODaTJc5lkiY029NIncFX+McH/X+5RHwndNVEg="
}
