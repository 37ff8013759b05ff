/// Rows of cells as lines of text with aligned columns.
package enum TextTable {
  /// Returns the cell on one line. Characters that would break it, move the cursor or change the direction of text are
  /// escaped, since a cell may contain a stranger's name.
  private static func shown(_ cell: String) -> String {
    guard cell.unicodeScalars.contains(where: isControl) else { return cell }
    var text = ""
    for scalar in cell.unicodeScalars {
      guard isControl(scalar) else {
        text.unicodeScalars.append(scalar)
        continue
      }
      let digits = String(scalar.value, radix: 16)
      text += "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
    return text
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }

  /// Returns rows with all columns flush left.
  package static func aligned(_ rows: [[String]]) -> [String] { columns(rows, rightFrom: .max) }

  /// Returns rows of numbers: the first column is flush left, and the others are flush right except those from
  /// `leftFrom` on.
  package static func columns(_ rows: [[String]], rightFrom: Int = 1, leftFrom: Int = .max) -> [String] {
    let rows = rows.map { $0.map(shown) }
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
