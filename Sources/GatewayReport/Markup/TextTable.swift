/// Rows of cells as lines of text, their columns below each other: a storm's latencies on the terminal, for instance.
package enum TextTable {
  /// Columns flush left.
  package static func aligned(_ rows: [[String]]) -> [String] { columns(rows, rightFrom: .max) }

  /// Rows of numbers: the first column flush left, the others flush right, but for those from `leftFrom` on.
  package static func columns(_ rows: [[String]], rightFrom: Int = 1, leftFrom: Int = .max) -> [String] {
    let widths = (0..<(rows.map(\.count).max() ?? 0)).map { column in
      rows.map { $0.count > column ? $0[column].count : 0 }.max() ?? 0
    }
    return rows.map { row in
      let cells = row.enumerated().map { index, cell in
        let padding = String(repeating: " ", count: max(0, widths[index] - cell.count))
        if index >= rightFrom && index < leftFrom { return padding + cell }
        return index == row.count - 1 ? cell : cell + padding
      }
      let line = "  " + cells.joined(separator: "  ")
      return String(line.reversed().drop { $0 == " " }.reversed())
    }
  }
}
