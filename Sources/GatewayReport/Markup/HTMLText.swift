import GatewayFleet

/// Text for an HTML or SVG document.
enum HTMLText {
  /// `text` with every character escaped that could be markup, in content and in quoted attributes.
  static func escape(_ text: String) -> String {
    var escaped = ""
    for character in text {
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      default: escaped.append(character)
      }
    }
    return escaped
  }

  /// What words mean, below a table.
  static func meanings(_ list: [(name: String, meaning: String)]) -> String {
    let items = list.map { "<div><dt>\(escape($0.name))</dt><dd>\(escape($0.meaning))</dd></div>" }
    return "<dl>\(items.joined())</dl>"
  }

  /// A table; the cells are escaped here. Columns from `numbersFrom` on are numbers.
  static func table(head: [String], rows: [[String]], numbersFrom: Int = 1) -> String {
    func cells(_ tag: String, _ row: [String]) -> String {
      row.enumerated().map { index, cell in
        "<\(tag)\(index >= numbersFrom ? " class=\"number\"" : "")>\(escape(cell))</\(tag)>"
      }.joined()
    }
    let header = head.isEmpty ? "" : "<thead><tr>\(cells("th", head))</tr></thead>"
    let body = rows.map { "<tr>\(cells("td", $0))</tr>" }.joined(separator: "\n")
    return "<div class=\"scroll\"><table>\(header)<tbody>\n\(body)\n</tbody></table></div>"
  }
}
