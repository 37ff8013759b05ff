import FoundationEssentials
import GatewayFleet
import GatewayJSON

/// Lines of a journal as people read them: `412  1.204 s  closed  code=1012`, for instance.
enum JournalLines {
  /// Those of an answer's `lines`.
  static func texts(_ answer: Data) -> [String] { numbered(answer).map(\.text) }

  /// The same, each with its number.
  static func numbered(_ answer: Data) -> [(number: Int, text: String)] {
    let document = try? JSONDocument.parse(Array(answer), sizeMax: answer.count)
    return (document?.root["lines"]?.elements ?? []).map { (Int(clamping: $0["n"]?.integer ?? 0), text($0)) }
  }

  private static let own: Set<String> = ["n", "at_ms", "real_ms", "time", "kind", "user", "dialect"]

  private static func text(_ line: JSONView) -> String {
    let details = (line.members ?? []).filter { !own.contains($0.name) }.sorted { $0.name < $1.name }
    let real = "\(Figures.decimal((line["real_ms"]?.number ?? 0) / 1_000, places: 3)) s"
    return ([word(line["n"]), real, word(line["kind"])] + details.map { "\($0.name)=\(word($0.value))" })
      .joined(separator: "  ")
  }

  /// A string as it is, anything else as it is written.
  private static func word(_ value: JSONView?) -> String { value.map { $0.string ?? $0.text } ?? "" }
}
