internal import Postgres

extension SQL {
    /// A table expression with one row. Statements that act once for each row of a source act once with this source.
    static let singleRow: SQL = "(VALUES (1)) v"
}
