import HTTP
import Testing

@Suite("Freshness of responses")
struct CacheControlTests {
    @Test(
        "The freshness follows Cache-Control and Age",
        arguments: [
            (["Cache-Control": "max-age=60"], 60), (["cache-control": "public, Max-Age=60, must-revalidate"], 60),
            (["Cache-Control": "public,max-age = 60 "], 60), (["Cache-Control": "max-age=\"60\""], 60),
            (["Cache-Control": "max-age=22478, must-revalidate, no-transform", "Age": "478"], 22000),
            (["Cache-Control": "max-age=60", "Age": "61"], 0), (["Cache-Control": "max-age=60", "Age": "x"], 60),
            (["Cache-Control": "max-age=0"], 0), (["Cache-Control": "no-store, max-age=60"], 0),
            (["Cache-Control": "max-age=60, No-Cache"], 0), (["Cache-Control": "no-cache=\"a, b\", max-age=60"], 0),
            (["Cache-Control": "private=\"a, no-store, max-age=1\", max-age=60"], 60),
            (["Cache-Control": "max-age=60", "cache-control": "max-age=30"], 30),
            (["Cache-Control": "max-age=60", "cache-control": "no-store"], 0),
            (["Cache-Control": "max-age=-1"], 0), (["Cache-Control": "max-age"], 0),
            (["Cache-Control": "max-age=1.5"], 0), (["Cache-Control": "max-age=+60"], 0),
            // The maximum is a year of 365 days.
            (["Cache-Control": "max-age=99999999999999999999999"], 31_536_000),
            (["Cache-Control": "s-maxage=60, x-max-age=60"], nil), (["Cache-Control": ",,\", "], nil), ([:], nil),
            (["Age": "60"], nil),
        ] as [(Headers, Int?)])
    func freshness(headers: Headers, expected: Int?) {
        #expect(headers.freshness == expected.map { .seconds($0) })
    }
}
