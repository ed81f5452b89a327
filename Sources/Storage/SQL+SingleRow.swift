internal import Postgres

extension SQL {
    /// A source of one row. Statements that act once for each row of their source then act once.
    static let singleRow: SQL = "(VALUES (1)) v"
}
