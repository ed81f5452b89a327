/// A type of the server's catalogue, by object identifier.
public struct PostgresType: Hashable, Sendable {
    public let oid: UInt32

    public init(oid: UInt32) {
        self.oid = oid
    }

    public static let bool = PostgresType(oid: 16)
    public static let bytea = PostgresType(oid: 17)
    public static let name = PostgresType(oid: 19)
    public static let int8 = PostgresType(oid: 20)
    public static let int2 = PostgresType(oid: 21)
    public static let int4 = PostgresType(oid: 23)
    public static let text = PostgresType(oid: 25)
    public static let json = PostgresType(oid: 114)
    public static let float8 = PostgresType(oid: 701)
    public static let bpchar = PostgresType(oid: 1042)
    public static let varchar = PostgresType(oid: 1043)
    public static let timestamptz = PostgresType(oid: 1184)
    public static let uuid = PostgresType(oid: 2950)
    public static let jsonb = PostgresType(oid: 3802)

    public static let boolArray = PostgresType(oid: 1000)
    public static let int4Array = PostgresType(oid: 1007)
    public static let textArray = PostgresType(oid: 1009)
    public static let varcharArray = PostgresType(oid: 1015)
    public static let int8Array = PostgresType(oid: 1016)
    public static let timestamptzArray = PostgresType(oid: 1185)
    public static let uuidArray = PostgresType(oid: 2951)
}
