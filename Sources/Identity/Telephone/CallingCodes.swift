/// The calling codes of the regions of the world (ITU-T E.164), with the area codes by which regions with a common
/// calling code differ.
///
/// The longest prefix of a number decides: `+1` is the United States, because every other region with this calling code
/// has its area codes in the table. Calling codes that belong to no region (satellites, international networks) are in
/// the table too, so that no region allows them.
public enum CallingCodes {
    /// The longest prefix of the table with which the digits of `number` begin; `nil` for an unassigned calling code.
    public static func prefix(of number: PhoneNumber) -> String? { longest(in: prefixes, of: number) }

    /// The prefixes that belong to a region.
    ///
    /// - Parameter region: two letters (ISO 3166-1 alpha-2), in upper case.
    /// - Returns: `nil` for an unknown region.
    public static func prefixes(of region: String) -> [String]? { table[region] }

    public static let regions = Set(table.keys)

    static func longest(in prefixes: Set<String>, of number: PhoneNumber) -> String? {
        let digits = number.rawValue.dropFirst()
        return (1...maximumLength).reversed().lazy.map { String(digits.prefix($0)) }.first { prefixes.contains($0) }
    }

    private static let maximumLength = 7

    /// Prefixes without a region: shared cost, satellites, and personal, premium, toll-free and trial numbers.
    private static let withoutRegion: Set<String> = Set(
        ["808", "870", "878", "881", "882", "883", "979"]
            // North American area codes without a place (NANPA): 5XX and 700 personal, 456 carriers, 6XX Canadian
            // services, 710 government, 8XX toll-free, 900 premium.
            + "456 500 521 522 523 524 525 526 527 528 529 532 533 535 538 542 543 544 545 546 547 549 550 552 553 554"
            .split(separator: " ").map { "1\($0)" }
            + "556 558 566 569 577 578 588 589 600 622 633 644 655 677 688 700 710 800 822 833 844 855 866 877 880 881"
            .split(separator: " ").map { "1\($0)" }
            + "882 883 884 885 886 887 888 889 900".split(separator: " ").map { "1\($0)" }
            // British numbers without a place (Ofcom): 03 nationwide, 05 companies, 070 personal, 076 pagers, 08 and 09
            // free, shared cost and premium. The longer prefixes of the Isle of Man belong to its region.
            + ["443", "445", "4470", "4476", "448", "449"])

    private static let prefixes = Set(table.values.joined()).union(withoutRegion)

    private static let table: [String: [String]] = Dictionary(
        uniqueKeysWithValues: text.split(separator: "\n").map { line in
            let words = line.split(separator: " ").map(String.init)
            return (words[0], Array(words.dropFirst()))
        })

    /// One region per line, with its prefixes.
    private static let text = """
        AC 247
        AD 376
        AE 971
        AF 93
        AG 1268
        AI 1264
        AL 355
        AM 374
        AO 244
        AR 54
        AS 1684
        AT 43
        AU 61
        AW 297
        AX 35818
        AZ 994
        BA 387
        BB 1246
        BD 880
        BE 32
        BF 226
        BG 359
        BH 973
        BI 257
        BJ 229
        BL 590
        BM 1441
        BN 673
        BO 591
        BQ 599
        BR 55
        BS 1242
        BT 975
        BW 267
        BY 375
        BZ 501
        CA 1204 1226 1236 1249 1250 1257 1263 1289 1306 1343 1354 1365 1367 1368 1382 1387 1403 1416 1418 1428 1431 1437 1438 1450 1460 1468 1474 1506 1514 1519 1537 1548 1568 1579 1581 1584 1587 1604 1613 1639 1647 1672 1683 1705 1709 1742 1753 1778 1780 1782 1807 1819 1825 1867 1873 1879 1902 1905 1942
        CC 6189162
        CD 243
        CF 236
        CG 242
        CH 41
        CI 225
        CK 682
        CL 56
        CM 237
        CN 86
        CO 57
        CR 506
        CU 53
        CV 238
        CW 5999
        CX 6189164
        CY 357
        CZ 420
        DE 49
        DJ 253
        DK 45
        DM 1767
        DO 1809 1829 1849
        DZ 213
        EC 593
        EE 372
        EG 20
        EH 2125288 2125289
        ER 291
        ES 34
        ET 251
        FI 358
        FJ 679
        FK 500
        FM 691
        FO 298
        FR 33
        GA 241
        GB 44
        GD 1473
        GE 995
        GF 594
        GG 441481 447781 447839 447911
        GH 233
        GI 350
        GL 299
        GM 220
        GN 224
        GP 590
        GQ 240
        GR 30
        GT 502
        GU 1671
        GW 245
        GY 592
        HK 852
        HN 504
        HR 385
        HT 509
        HU 36
        ID 62
        IE 353
        IL 972
        IM 441624 447524 447624 447924
        IN 91
        IO 246
        IQ 964
        IR 98
        IS 354
        IT 39
        JE 441534 447509 447797 447937
        JM 1658 1876
        JO 962
        JP 81
        KE 254
        KG 996
        KH 855
        KI 686
        KM 269
        KN 1869
        KP 850
        KR 82
        KW 965
        KY 1345
        KZ 76 77
        LA 856
        LB 961
        LC 1758
        LI 423
        LK 94
        LR 231
        LS 266
        LT 370
        LU 352
        LV 371
        LY 218
        MA 212
        MC 377
        MD 373
        ME 382
        MF 590
        MG 261
        MH 692
        MK 389
        ML 223
        MM 95
        MN 976
        MO 853
        MP 1670
        MQ 596
        MR 222
        MS 1664
        MT 356
        MU 230
        MV 960
        MW 265
        MX 52
        MY 60
        MZ 258
        NA 264
        NC 687
        NE 227
        NF 672
        NG 234
        NI 505
        NL 31
        NO 47
        NP 977
        NR 674
        NU 683
        NZ 64
        OM 968
        PA 507
        PE 51
        PF 689
        PG 675
        PH 63
        PK 92
        PL 48
        PM 508
        PR 1787 1939
        PS 970
        PT 351
        PW 680
        PY 595
        QA 974
        RE 262
        RO 40
        RS 381
        RU 7
        RW 250
        SA 966
        SB 677
        SC 248
        SD 249
        SE 46
        SG 65
        SH 290
        SI 386
        SJ 4779
        SK 421
        SL 232
        SM 378
        SN 221
        SO 252
        SR 597
        SS 211
        ST 239
        SV 503
        SX 1721
        SY 963
        SZ 268
        TA 2908
        TC 1649
        TD 235
        TG 228
        TH 66
        TJ 992
        TK 690
        TL 670
        TM 993
        TN 216
        TO 676
        TR 90
        TT 1868
        TV 688
        TW 886
        TZ 255
        UA 380
        UG 256
        US 1
        UY 598
        UZ 998
        VA 3906698
        VC 1784
        VE 58
        VG 1284
        VI 1340
        VN 84
        VU 678
        WF 681
        WS 685
        XK 383
        YE 967
        YT 262269 262639
        ZA 27
        ZM 260
        ZW 263
        """
}

/// The regions to which a project sends codes, in Firebase's terms.
public enum SMSRegions: Hashable, Sendable {
    /// Only these regions.
    case listed([String])
    /// Every region of the table except these.
    case allExcept([String])

    public static let none = SMSRegions.listed([])

    /// The digit prefixes of the regions.
    var prefixes: Set<String> {
        let regions: any Collection<String> =
            switch self {
            case .listed(let regions): regions
            case .allExcept(let regions): CallingCodes.regions.subtracting(regions)
            }
        return Set(regions.flatMap { CallingCodes.prefixes(of: $0) ?? [] })
    }
}
