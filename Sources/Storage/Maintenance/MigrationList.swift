public import Postgres

extension [Migration] {
    /// Every migration of this release, in order. A file that is not listed here is caught by a test.
    public static let all: [Migration] = [
        Migration(name: "m0001_projects", sql: PackageResources.m0001_projects_sql),
        Migration(name: "m0002_accounts", sql: PackageResources.m0002_accounts_sql),
        Migration(name: "m0003_administration", sql: PackageResources.m0003_administration_sql),
        Migration(name: "m0004_custom_tokens", sql: PackageResources.m0004_custom_tokens_sql),
        Migration(name: "m0005_federation", sql: PackageResources.m0005_federation_sql),
        Migration(name: "m0006_mailboxes", sql: PackageResources.m0006_mailboxes_sql),
        Migration(name: "m0007_service_key_scopes", sql: PackageResources.m0007_service_key_scopes_sql),
        Migration(name: "m0008_audit_trail", sql: PackageResources.m0008_audit_trail_sql),
        Migration(name: "m0009_finding_accounts", sql: PackageResources.m0009_finding_accounts_sql),
        Migration(name: "m0010_password_schemes", sql: PackageResources.m0010_password_schemes_sql),
        Migration(name: "m0011_tenants", sql: PackageResources.m0011_tenants_sql),
        Migration(name: "m0012_account_names", sql: PackageResources.m0012_account_names_sql),
        Migration(name: "m0013_intruder_remedies", sql: PackageResources.m0013_intruder_remedies_sql),
    ]
}
