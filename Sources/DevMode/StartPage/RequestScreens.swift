internal import API
internal import Console
internal import Encoding
internal import HTML
internal import HTTP
internal import Identity
internal import JSON

/// What the list of requests selects.
struct RequestFilter {
    enum Kind: String, CaseIterable {
        case all, errors, unmatched

        var label: String {
            switch self {
            case .all: "All requests"
            case .errors: "Errors"
            case .unmatched: "Unknown paths"
            }
        }
    }

    let kind: Kind
    /// A part of the method, the path, the operation or the error code.
    let text: String

    init(_ request: Request) {
        kind = request.query("kind").flatMap(Kind.init) ?? .all
        text = request.query("q") ?? ""
    }

    func accepts(_ request: RecordedRequest) -> Bool {
        let isOfKind =
            switch kind {
            case .all: true
            case .errors: request.isError
            case .unmatched: request.operationID == nil
            }
        guard isOfKind, !text.isEmpty else { return isOfKind }
        let lowered = text.lowercased()
        return [request.method.rawValue, request.path, request.operationID, request.errorCode].contains {
            $0?.lowercased().containsBytes(of: lowered) == true
        }
    }
}

extension StartPages {
    private static let headings = ["Request", "Status", "Duration", "Time"]
    /// The number of rows of the page, which keeps the page small.
    private static let shownRequests = 40
    /// The parameter of the query that contains the number of a request. The list has the requests before it.
    private static let beforeParameter = "before"
    /// The maximum length of a path in a row, in characters.
    private static let shownPath = 120

    func requestListScreen(_ context: ScreenContext) async throws -> Screen {
        let filter = RequestFilter(context.request)
        let all = requests.all
        let before = context.request.query(.init(Self.beforeParameter)).flatMap { Int($0) }
        let selected = all.filter { $0.number < before ?? .max && filter.accepts($0) }
        let shown = selected.prefix(Self.shownRequests)
        let body = Markup(
            .tbody, [.id(ElementID("rows")), .lastRow(all.first?.number ?? 0)],
            shown.map { Self.row($0, now: context.now) })
        var screen = Screen(
            "Requests",
            [
                .section("Find requests", [.markup(Self.filterForm(filter, context))]),
                .section(
                    filter.kind.label,
                    [
                        .markup(Self.liveControls(context)),
                        .markup(.table("Requests", Self.headings, body: body)),
                        .markup(
                            Markup(
                                .p, [.classes(["soft"])],
                                text: shown.isEmpty
                                    ? "No such requests yet. Pages of this site do not appear here."
                                    : "Newest first. The gateway keeps the last \(RecordedRequests.limit) requests, without passwords."
                            )),
                        .markup(
                            Self.links(
                                Self.pageLinks(
                                    filter, before, oldest: selected.count > shown.count ? shown.last : nil, context))),
                    ]),
            ])
        // New requests do not belong to the older pages.
        if before == nil { screen.script = Self.liveScript }
        return screen
    }

    /// - Parameter oldest: the last request of the page; `nil` if no older one follows.
    private static func pageLinks(
        _ filter: RequestFilter, _ before: Int?, oldest: RecordedRequest?, _ context: ScreenContext
    ) -> [(label: String, path: String)] {
        let selection = [("q", filter.text), ("kind", filter.kind.rawValue)]
        func path(_ query: [(String, String)]) -> String {
            Self.path("/dev/requests", context.realm, selection + query)
        }
        return (before == nil ? [] : [("Newest", path([]))])
            + (oldest.map { [("Older", path([(beforeParameter, "\($0.number)")]))] } ?? [])
    }

    /// The rows of requests after the number in the query, for the script of the list.
    func newRequestRows(_ request: Request) -> Response {
        let filter = RequestFilter(request)
        let after = request.query("after").flatMap { Int($0) } ?? 0
        let all = requests.all
        let rows = all.prefix { $0.number > after }.filter(filter.accepts).prefix(Self.shownRequests)
        return Response(
            status: 200,
            headers: [
                "Content-Type": "text/html; charset=utf-8", "X-Last-Row": String(all.first?.number ?? after),
                "Content-Security-Policy": "default-src 'none'; sandbox", "Cache-Control": "no-store",
                "Cross-Origin-Resource-Policy": "same-origin",
            ], body: Array(rows.map { Self.row($0, now: clock.now.milliseconds).html }.joined().utf8))
    }

    private static func row(_ request: RecordedRequest, now: Int64) -> Markup {
        let explanation = request.errorCode.flatMap { ErrorCode(rawValue: $0)?.explanation }
        let link = Markup.link(
            "/dev/requests/\(request.number)",
            .text("\(request.method.rawValue) \(request.path.shortened(to: shownPath))"))
        return .row(
            headings,
            [
                .group([link, .text(" "), .soft(request.operationID ?? "unknown path")]),
                .group([request.statusMarkup] + (explanation.map { [.text(" "), .soft($0)] } ?? [])),
                .text("\(request.milliseconds) ms"), .time(request.time.milliseconds, now: now),
            ])
    }

    private static func filterForm(_ filter: RequestFilter, _ context: ScreenContext) -> Markup {
        let realm = [("project", context.realm.project)] + (context.realm.tenant.map { [("tenant", $0)] } ?? [])
        return Markup(
            .form, [.classes(["search"]), .role("search"), .action(URLReference("/dev/requests"))],
            realm.map { .void(.input, [.type("hidden"), .name($0), .value($1)]) } + [
                FormField("q", "Part of the path, operation or error code", value: filter.text)
                    .searchMarkup(),
                FormField(
                    "kind", "Show", .choice(RequestFilter.Kind.allCases.map { .init($0.rawValue, $0.label) }),
                    value: filter.kind.rawValue
                ).searchMarkup(),
                Markup(.button, [.type("submit")], text: "Search"),
            ])
    }

    private static func liveControls(_ context: ScreenContext) -> Markup {
        let refresh = context.request.query.map { ($0.name.rawValue, $0.value) }
        let path = "/dev/requests" + (refresh.isEmpty ? "" : "?" + PercentEncoding.encode(form: refresh))
        return Markup(
            .p, [.classes(["buttons"])],
            [
                Markup(.a, [.classes(["button", "quiet"]), .href(URLReference(path))], text: "Refresh"),
                Markup(
                    .button, [.type("button"), .classes(["quiet"]), .id(ElementID("pause")), .hidden], text: "Pause"),
            ])
    }

    /// Adds new rows every two seconds, until the user pauses it.
    private static let liveScript = ScreenScript(
        """
        (()=>{
        "use strict";
        const rows=document.getElementById("rows"),pause=document.getElementById("pause");
        let last=rows.dataset.last,paused=false;
        pause.hidden=false;
        pause.addEventListener("click",()=>{paused=!paused;pause.textContent=paused?"Resume":"Pause"});
        setInterval(async()=>{
        if(paused||document.hidden)return;
        try{
        const url=new URL("/dev/requests/rows",location.href);
        url.search=location.search;
        url.searchParams.set("after",last);
        const response=await fetch(url);
        if(!response.ok)return;
        last=response.headers.get("X-Last-Row");
        rows.insertAdjacentHTML("afterbegin",await response.text());
        while(rows.rows.length>100)rows.lastElementChild.remove()
        }catch{}
        },2000)
        })()
        """, sha256: "Qou55URIblawmEgsz+qj/to3s/20+TVlpVJ73fO4CLs=", sendsRequests: true)
}
