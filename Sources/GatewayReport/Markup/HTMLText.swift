import GatewayCore

/// Tables and lists for a page.
enum HTMLText {
  /// Returns a list of terms and their meanings, to place below a table.
  static func meanings(_ list: [(name: String, meaning: String)]) -> String {
    let items = list.map { "<div><dt>\(Escaping.markup($0.name))</dt><dd>\(Escaping.markup($0.meaning))</dd></div>" }
    return "<dl>\(items.joined())</dl>"
  }

  /// Returns a table with escaped cells. Columns from `numbersFrom` on are numbers.
  static func table(head: [String], rows: [[String]], numbersFrom: Int = 1) -> String {
    func cells(_ tag: String, _ row: [String]) -> String {
      row.enumerated().map { index, cell in
        "<\(tag)\(index >= numbersFrom ? " class=\"number\"" : "")>\(Escaping.markup(cell))</\(tag)>"
      }.joined()
    }
    let header = head.isEmpty ? "" : "<thead><tr>\(cells("th", head))</tr></thead>"
    let body = rows.map { "<tr>\(cells("td", $0))</tr>" }.joined(separator: "\n")
    let hint = columns(head, rows) > 4 ? "<p class=\"hint\">The table is wide: scroll it sideways.</p>" : ""
    return "<div class=\"scroll\" tabindex=\"0\"><table>\(header)<tbody>\n\(body)\n</tbody></table></div>\(hint)"
  }

  private static func columns(_ head: [String], _ rows: [[String]]) -> Int {
    (rows.map(\.count) + [head.count]).max() ?? 0
  }
}
