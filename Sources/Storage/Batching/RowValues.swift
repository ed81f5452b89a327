internal import Encoding
internal import Identity
internal import Postgres

extension SQL {
    /// A table expression with one row. Statements that act once for each row of a source act once with this source.
    static let singleRow: SQL = "(VALUES (1)) v"
}

/// The values of one or more rows in a statement. The values of a single row are parameters. Those of a batch are
/// columns of the table expression ``source``. The statements for one row and for a batch thus share the code that
/// lists the values.
struct RowValues<Element> {
    private let elements: [Element]
    /// `nil` for a single row.
    private let alias: SQL?
    private var names: [SQL] = []
    private var arrays: [SQL] = []

    init(_ element: Element) {
        elements = [element]
        alias = nil
    }

    /// - Parameter alias: the alias of ``source`` in the statement.
    init(batch elements: [Element], as alias: SQL) {
        self.elements = elements
        self.alias = alias
    }

    /// Adds a column.
    ///
    /// - Parameter name: the name of the column in ``source``, where it must be unique.
    /// - Returns: an SQL expression for the value of each row.
    mutating func column<Value: PostgresEncodable & PostgresDecodable & PostgresArrayElement>(
        _ name: StaticString, _ value: (Element) throws -> Value?
    ) rethrows -> SQL {
        guard let alias else { return "\(try value(elements[0]))" }
        let name = SQL(stringLiteral: name)
        names.append(name)
        // In a subquery, so that the planner does not choose another plan for another number of rows.
        arrays.append("(SELECT \(try elements.map(value)))")
        return "\(alias).\(name)"
    }

    /// Adds a column, unless no row has a value for it.
    mutating func columnUnlessAllNull(_ name: StaticString, _ value: (Element) -> String?) -> SQL {
        elements.contains { value($0) != nil } ? column(name, value) : "NULL"
    }

    /// Adds a column with times.
    mutating func time(_ name: StaticString, _ value: (Element) -> Instant?) -> SQL {
        column(name) { value($0).map { Timestamp($0) } }
    }

    /// Adds a column with byte strings. In a batch, they are sent as hexadecimal text, because byte strings cannot be
    /// elements of an array parameter.
    mutating func bytes(_ name: StaticString, _ value: (Element) -> [UInt8]?) -> SQL {
        guard alias != nil else { return "\(value(elements[0]))" }
        return "decode(\(column(name) { value($0).map { Hexadecimal.encode($0) } }), 'hex')"
    }

    /// Adds columns of the table `account`. In ``source``, their names have the prefix `account_`.
    ///
    /// - Returns: SQL expressions for the values of each row, separated by commas.
    mutating func columns(_ columns: [AccountColumn], of account: (Element) -> Account) -> SQL {
        guard let alias else { return AccountColumn.values(of: account(elements[0]), in: columns) }
        let accounts = elements.map(account)
        return columns.map { column in
            let name: SQL = "account_\(column.nameInStatements)"
            names.append(name)
            arrays.append("(SELECT \(column.arrayParameter(accounts)))")
            return "\(alias).\(name)"
        }.joined(separator: ", ")
    }

    /// The rows as a table expression. For a batch, its columns are those that were added so far, and the `number` of
    /// each row, counted from 1. For a single row, ``SQL/singleRow``, because the values are parameters.
    var source: SQL {
        guard let alias else { return .singleRow }
        return """
            unnest(\(arrays.joined(separator: ", "))) WITH ORDINALITY AS \(alias) (\(names.joined(
                separator: ", ")), number)
            """
    }
}
