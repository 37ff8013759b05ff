import GatewayFleet
import GatewayJSON

/// Lines of a journal as text for people, e.g. `412  1.204 s  closed  code=1012`.
enum JournalLines {
  /// Returns the lines in an answer's `lines`.
  static func texts(_ answer: [UInt8]) -> [String] { numbered(answer).map(\.text) }

  /// Returns the lines in an answer's `lines`, each with its number.
  static func numbered(_ answer: [UInt8]) -> [(number: Int, text: String)] {
    let document = try? JSONDocument.parse(answer, sizeMax: answer.count)
    return (document?.root["lines"]?.elements ?? []).map { (Int(clamping: $0["n"]?.integer ?? 0), text($0)) }
  }

  /// Returns the lines of an answer in columns, with the user, the connection and the time on the sessions' clock.
  static func whole(_ answer: [UInt8]) -> [String] {
    let document = try? JSONDocument.parse(answer, sizeMax: answer.count)
    return (document?.root["lines"]?.elements ?? []).map(row)
  }

  private static func row(_ line: JSONView) -> String {
    let details = (line.members ?? []).filter { !named.contains($0.name) }
    let at = "\(Figures.decimal((line["at_ms"]?.number ?? 0) / 1_000, places: 3)) s"
    let words = [line["user"], line["connection"]].compactMap { $0.map { word($0) } }
    let rest = (words + details.map { "\($0.name)=\(word($0.value))" }).joined(separator: " ")
    let kind = rest.isEmpty ? word(line["kind"]) : "\(padded(word(line["kind"]), right: 18)) \(rest)"
    return "\(padded(word(line["n"]), left: 6))  \(padded(at, left: 14))  \(kind)"
  }

  private static func padded(_ text: String, left: Int = 0, right: Int = 0) -> String {
    String(repeating: " ", count: max(0, left - text.count)) + text
      + String(repeating: " ", count: max(0, right - text.count))
  }

  private static let named = own.union(["connection"])
  private static let own: Set<String> = ["n", "at_ms", "real_ms", "time", "kind", "user", "dialect"]

  private static func text(_ line: JSONView) -> String {
    let details = (line.members ?? []).filter { !own.contains($0.name) }.sorted { $0.name < $1.name }
    let real = "\(Figures.decimal((line["real_ms"]?.number ?? 0) / 1_000, places: 3)) s"
    return ([word(line["n"]), real, word(line["kind"])] + details.map { "\($0.name)=\(word($0.value))" })
      .joined(separator: "  ")
  }

  /// Returns a string as it is, and any other value as JSON.
  private static func word(_ value: JSONView?) -> String { value.map { $0.string ?? $0.text } ?? "" }
}
