/// Rows of cells as lines of text, their columns below each other: a storm's latencies on the terminal, for instance.
package enum TextTable {
  /// The cell on one line: what would break it, move a cursor or turn the direction of text stands there as its escape. A
  /// stranger's name may be in it.
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

  /// Columns flush left.
  package static func aligned(_ rows: [[String]]) -> [String] { columns(rows, rightFrom: .max) }

  /// Rows of numbers: the first column flush left, the others flush right, but for those from `leftFrom` on.
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
