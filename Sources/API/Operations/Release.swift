/// The release of which this program was built.
public enum Release {
    /// A semantic version (SemVer 2.0.0). `Deploy/release` sets it. Between two releases, it is the next version with
    /// the suffix `-dev`.
    public static let version = "0.1.0-dev"
}
