public import Postgres

extension [Migration] {
    /// The migrations of this release, in order. A test fails if a file is missing here.
    public static let all: [Migration] = [
        Migration(name: "m0001_schema", sql: PackageResources.m0001_schema_sql)
    ]
}
