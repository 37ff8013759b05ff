import GatewayControl
import GatewayJSON
import GatewayReport

/// A control port's answer as text for people: its members line by line, and lists of objects as tables below them.
enum ControlTable {
  /// Returns the answer as text; nil if it is no JSON object.
  static func text(_ data: [UInt8]) -> String? {
    guard let document = try? JSONDocument.parse(data), document.root.isObject else { return nil }
    var facts: [[String]] = []
    var tables: [String] = []
    collect(document.root, below: "", into: &facts, &tables)
    let parts = (facts.isEmpty ? [] : [lines(facts)]) + tables
    return parts.joined(separator: "\n\n")
  }

  /// Returns a table of all known faults: the effect, the members of an order, and an example order.
  static func knownFaults(_ data: [UInt8]) -> String? {
    guard let known = try? JSONCoder().decode(KnownFaults.self, from: data) else { return nil }
    var rows = [["FAULT", "WHAT IT DOES"]]
    for fault in known.faults {
      rows.append([fault.fault, fault.summary])
      if !fault.members.isEmpty { rows.append(["", "says: \(fault.members.joined(separator: ", "))"]) }
      rows.append(["", "e.g.  \(fault.example.text)"])
    }
    rows = rows.map { $0.map { VisibleText.escaping($0) } }
    return lines(rows)
  }

  private static let none = "none"

  private static func lines(_ rows: [[String]]) -> String { TextTable.aligned(rows).joined(separator: "\n") }

  private static func collect(
    _ object: JSONView, below path: String, into facts: inout [[String]], _ tables: inout [String]
  ) {
    for (name, value) in object.members ?? [] {
      let name = VisibleText.escaping(path + name)
      if let elements = value.elements, elements.contains(where: \.isObject) {
        tables.append((path.isEmpty && facts.isEmpty ? "" : "\(name)\n") + table(elements))
      } else if value.isObject, value.count ?? 0 > 0 {
        collect(value, below: "\(path)\(name).", into: &facts, &tables)
      } else {
        facts.append([name, shown(value)])
      }
    }
  }

  /// Returns a table with one row per object. Members that are objects themselves come last, as JSON text.
  private static func table(_ objects: [JSONView]) -> String {
    var columns: [String] = []
    for (name, _) in objects.flatMap({ $0.members ?? [] })
    where !columns.contains(where: { $0.utf8.elementsEqual(name.utf8) }) {
      columns.append(name)
    }
    let nested = columns.filter { name in objects.contains { $0[member: name]?.isObject ?? false } }
    let order = columns.filter { !nested.contains($0) } + nested
    var rows = [order.map { VisibleText.escaping($0.uppercased()) }]
    for object in objects { rows.append(order.map { shown(object[member: $0]) }) }
    return lines(rows)
  }

  private static func shown(_ value: JSONView?) -> String {
    guard let value, !value.isNull else { return "-" }
    if let flag = value.bool { return flag ? "yes" : "no" }
    if let text = value.string { return VisibleText.escaping(text) }
    if let elements = value.elements {
      return elements.isEmpty ? none : elements.map { shown($0) }.joined(separator: ", ")
    }
    return number(value.text) ?? VisibleText.escaping(value.text)
  }

  /// Returns a number with a fraction in the fewest digits that read back the same; nil for any other.
  private static func number(_ text: String) -> String? {
    guard text.utf8.contains(UInt8(ascii: ".")), text.utf8.count <= 32, let value = Double(text), value.isFinite,
      (1e-4..<1e16).contains(abs(value))
    else { return nil }
    return "\(value)"
  }
}
