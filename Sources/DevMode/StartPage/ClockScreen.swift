internal import Console
internal import Encoding
internal import HTML
internal import HTTP
internal import Identity
internal import JSON

extension StartPages {
    func clockScreen(_ context: ScreenContext) async throws -> Screen {
        let state =
            clock.isFrozen
            ? "Frozen" : clock.isChanged ? "Runs, with another time than the machine" : "Runs with the machine"
        let durations: [FormField.Choice] = [
            .init("60", "1 minute"), .init("300", "5 minutes"), .init("3600", "1 hour"), .init("86400", "1 day"),
            .init("604800", "7 days"), .init("2592000", "30 days"), .init("31536000", "365 days"),
        ]
        return Screen(
            "Clock",
            [
                .section(
                    "Clock of the gateway",
                    [
                        .markup(
                            .details([
                                ("Time", .text(TimeText.absolute(context.now))), ("State", .text(state)),
                            ])),
                        .paragraph(
                            "The gateway and the simulated providers use this clock. Tests can thus check expiry and recent logins without waiting."
                        ),
                    ]),
                .columns([
                    .section(
                        "Advance",
                        [
                            .form(
                                Form(
                                    "advance", button: "Advance",
                                    [FormField("advanceSeconds", "Advance by", .choice(durations), value: "3600")],
                                    notice: "The clock was advanced."
                                ) { input in
                                    guard let seconds = Int64(input["advanceSeconds"]) else {
                                        throw Form.InvalidField("advanceSeconds", "Choose a duration.")
                                    }
                                    return Self.clockCall(["advanceSeconds": .integer(seconds)])
                                })
                        ]),
                    .section(
                        "Freeze or reset",
                        [
                            .form(
                                Form("freeze", button: "Freeze now", notice: "The clock is frozen.") { _ in
                                    Self.clockCall(["freezeAtMs": .integer(context.now)])
                                }),
                            .form(
                                Form("reset", button: "Reset to the machine's clock", notice: "The clock was reset.") {
                                    _ in Self.clockCall(["reset": .bool(true)])
                                }),
                        ]),
                ]),
            ])
    }

    private static func clockCall(_ body: JSONObject) -> APICall {
        APICall(.post, "/emulator/v1/clock", body: body, credential: .none)
    }
}
