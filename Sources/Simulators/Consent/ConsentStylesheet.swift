/// The styles of the simulated providers' pages: one column from 320 pixels on, light and dark.
enum ConsentStylesheet {
    enum Class: String {
        case notice, warning, problem, people, person, details, cancel, fault, row
    }

    /// Contains no `<`, `>` or `&`, because browsers do not decode escapes in a style element. Text has a contrast of
    /// at least 7:1, borders of 3:1.
    static let text: StaticString = """
        :root{color-scheme:light dark;--back:#eef0ef;--card:#fff;--text:#1a1d1c;--soft:#47504d;--line:#737d79;\
        --strong:#0b5a47;--on-strong:#fff;--notice:#fff3d1;--on-notice:#4a3500;--wrong:#951b1b}\
        @media (prefers-color-scheme:dark){:root{--back:#101413;--card:#1b201f;--text:#eff2f1;--soft:#c2cbc8;\
        --line:#8a9691;--strong:#8fdcc4;--on-strong:#06281f;--notice:#3a2f10;--on-notice:#ffe6a3;--wrong:#ffb4ab}}\
        *{box-sizing:border-box}\
        body{margin:0;padding:1rem;background:var(--back);color:var(--text);overflow-wrap:anywhere;\
        font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Hiragino Sans","Noto Sans JP","Noto Sans CJK JP",sans-serif}\
        main{max-width:30rem;margin:2vh auto;padding:1.25rem;background:var(--card);border-radius:.75rem}\
        h1{margin:0 0 .75rem;font-size:1.5rem;line-height:1.3;text-wrap:balance}\
        h2{margin:1.75rem 0 .5rem;font-size:1.125rem;line-height:1.3}\
        :lang(ja) h1,:lang(ja) h2{word-break:auto-phrase}\
        p{margin:0 0 .75rem}\
        .notice,.warning{padding:.5rem .75rem;font-size:.9375rem}\
        .notice{border-radius:.5rem;background:var(--notice);color:var(--on-notice)}\
        .warning{border-left:.25rem solid var(--line);color:var(--soft)}\
        .problem{padding:.5rem .75rem;border:2px solid var(--wrong);border-radius:.5rem;color:var(--wrong);font-weight:600}\
        .details{display:grid;grid-template-columns:auto 1fr;gap:.125rem .75rem;margin:0 0 .75rem;font-size:.9375rem}\
        dt{color:var(--soft)}dd{margin:0;font-weight:600}\
        .people{margin:.75rem 0 0;padding:0;list-style:none}\
        button{display:block;width:100%;min-height:2.75rem;margin:.75rem 0 0;padding:.5rem 1rem;border:2px solid var(--strong);\
        border-radius:.5rem;background:var(--strong);color:var(--on-strong);font:inherit;font-weight:600;line-height:1.4;\
        cursor:pointer}\
        .person{margin:.5rem 0 0;border:1px solid var(--line);background:transparent;color:var(--text);text-align:left}\
        .person span{display:block;color:var(--soft);font-size:.9375rem;font-weight:400}\
        .person:hover{border-color:var(--strong);box-shadow:inset 0 0 0 1px var(--strong)}\
        .cancel,.fault{background:transparent;color:var(--strong)}\
        .fault{margin-top:.5rem;border-width:1px;font-weight:400}\
        .row{display:grid;grid-template-columns:repeat(auto-fit,minmax(11rem,1fr));gap:0 .75rem}\
        .row div{min-width:0}\
        label{display:block;margin-top:.5rem;color:var(--soft);font-size:.9375rem}\
        input{width:100%;min-height:2.75rem;margin:.25rem 0 0;padding:.5rem .75rem;border:1px solid var(--line);\
        border-radius:.5rem;background:var(--card);color:var(--text);font:inherit}\
        input[aria-invalid]{border:2px solid var(--wrong)}\
        input[type=checkbox]{width:1.5rem;height:1.5rem;min-height:0;margin:0 .75rem 0 0;vertical-align:middle;\
        accent-color:var(--strong)}\
        input[type=checkbox]+label{display:inline-block;max-width:calc(100% - 2.5rem);margin:0;padding:.625rem 0;\
        color:var(--text);font-size:1rem;vertical-align:middle}\
        details{margin-top:1.25rem;padding-top:.5rem;border-top:1px solid var(--line)}\
        summary{padding:.625rem 0;color:var(--strong);font-weight:600;cursor:pointer}\
        :focus-visible{outline:3px solid var(--strong);outline-offset:3px}\
        @media (min-width:40rem){main{margin:5vh auto;padding:2rem}}
        """
}
