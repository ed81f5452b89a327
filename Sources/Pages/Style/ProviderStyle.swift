internal import HTML

/// The rules for the buttons of providers. They follow the ``Stylesheet``, and a page without such buttons does not
/// contain them.
enum ProviderStyle {
    /// As ``Stylesheet/text``. The colours of Apple's and Google's buttons are the companies' own.
    static let text: StaticString = """
        .providers{display:grid;grid-auto-rows:1fr;gap:.75rem}\
        .provider{display:flex;align-items:center;justify-content:center;gap:.625rem;min-height:2.75rem;\
        padding:0 .75rem;border:1px solid var(--line);border-radius:.5rem;background:var(--card);color:var(--text);\
        font-weight:600;line-height:1.2;text-align:center;text-decoration:none}.provider span{padding:.375rem 0}\
        .apple{border-color:#000;background:#000;color:#fff}.apple img{display:block;margin:-1px 0}\
        .google{border-color:#747775;background:#fff;color:#1f1f1f}.google svg{flex:none}\
        .providers .note{margin:-.5rem 0 0}.providers+.done{margin-top:1rem}\
        @media (prefers-color-scheme:dark){.apple{border-color:#fff;background:#fff;color:#000}\
        .google{border-color:#8e918f;background:#131314;color:#e3e3e3}}\
        @media (forced-colors:active){.apple{border-color:ButtonBorder}}
        """

    /// SHA-256 of ``text`` in base64.
    static let sha256 = "2YPwkXOLx+7dtxZxFxWrOT3JDnOxqV9fUEno//ifWNw="
}
