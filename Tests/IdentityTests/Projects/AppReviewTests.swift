import Identity
import Testing

@Suite("The report for App Review")
struct AppReviewTests {
    private static func row(_ apple: LoginServicesTests.Apple, google: Bool, _ exemption: LoginServicesExemption.Kind?)
        -> AppReview
    {
        let row = LoginServicesTests.Row(platform: .ios, showsGoogle: google, apple: apple, exemption: exemption)
        return AppReview(of: row.app, in: row.project)
    }

    @Test("objects where, and only where, guideline 4.8 is broken", arguments: LoginServicesTests.rows)
    func verdicts(row: LoginServicesTests.Row) {
        let review = AppReview(of: row.app, in: row.project)
        let broken = review.points.filter { $0.verdict == .broken }
        #expect(broken.map(\.guideline) == row.expected.map { _ in "4.8" })
        #expect(review.passes == row.expected.isEmpty)
    }

    @Test("gives the reason of an exemption that counts")
    func exemption() throws {
        let point = try #require(Self.row(.missing, google: true, .organisationAccounts).points.first)
        #expect(point.verdict == .met)
        #expect(point.text == "exempt as organisationAccounts, because: because")
    }

    @Test("says of deletion what is done, and of Apple's tokens that it is not", arguments: [true, false])
    func deletion(showsApple: Bool) {
        let points = Self.row(showsApple ? .ok : .missing, google: false, nil).points
            .filter { $0.guideline == "5.1.1(v)" }
        #expect(points.map(\.verdict) == (showsApple ? [.met, .open] : [.met]))
        #expect(points[0].text.contains("accounts:delete"))
        #expect(points.dropFirst().allSatisfy { $0.text.contains("not revoked") })
    }
}
